-- A lead's contacts changed: its outreach is evaluated.
create or replace function reevaluate_after_contact() returns trigger language plpgsql as $$
begin
  perform reevaluate_lead(case when tg_op = 'DELETE' then old.lead_id else new.lead_id end);
  return null;
end $$;

create or replace trigger reevaluate after insert or delete or update on contacts for each row
  execute function reevaluate_after_contact();
