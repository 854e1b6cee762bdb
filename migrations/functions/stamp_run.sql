-- Stamps a run of a model with the attempt of its lead.
create or replace function stamp_run() returns trigger language plpgsql as $$
begin
  new.attempt := coalesce((select attempt from leads where id = new.lead_id), 1);
  return new;
end $$;

create or replace trigger stamp_run before insert or update of lead_id on llm_runs for each row
  when (new.lead_id is not null) execute function stamp_run();
