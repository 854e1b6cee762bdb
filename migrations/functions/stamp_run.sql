-- Stamps a run of a model that got its lead later with the attempt of the lead. While the history of the lead is being
-- counted, the run waits for it.
create or replace function stamp_run() returns trigger language plpgsql as $$
declare
  is_stale boolean;
begin
  select l.attempt, exists (select from outcomes o where o.lead_id = l.id and o.is_stale) into new.attempt, is_stale
    from leads l where l.id = new.lead_id;
  if is_stale then
    perform from leads where id = new.lead_id for key share;
    select attempt into new.attempt from leads where id = new.lead_id;
  end if;
  new.attempt := coalesce(new.attempt, 1);
  return new;
end $$;

create or replace trigger stamp_run before update of lead_id on llm_runs for each row
  when (new.lead_id is not null and old.lead_id is distinct from new.lead_id) execute function stamp_run();
