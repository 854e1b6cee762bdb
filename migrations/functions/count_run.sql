-- Adds the cost of a run that got its price or its lead later to the attempt of its lead, also of a lead whose history is
-- not counted yet: locking its row makes the count wait for the run, or the run for the count.
create or replace function count_run() returns trigger language plpgsql as $$
begin
  if old.lead_id is not null and old.cost is not null then
    update outcomes set cost = cost - old.cost where lead_id = old.lead_id and attempt = old.attempt;
  end if;
  if new.lead_id is not null and new.cost is not null then
    update outcomes set cost = cost + new.cost where lead_id = new.lead_id and attempt = new.attempt;
  end if;
  return null;
end $$;

create or replace trigger count_run after update of cost, lead_id on llm_runs for each row
  when (old.cost is distinct from new.cost or old.lead_id is distinct from new.lead_id) execute function count_run();
