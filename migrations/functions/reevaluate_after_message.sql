-- A message of ours failed. One that was sent changes its dialogue, which has a trigger of its own.
create or replace function reevaluate_after_message() returns trigger language plpgsql as $$
begin
  perform reevaluate_lead(c.lead_id) from contacts c where c.id = new.contact_id;
  return null;
end $$;

create or replace trigger reevaluate after update of status on messages for each row
  when (new.side = 'bot' and old.status is distinct from new.status
    and new.status in ('error', 'cancelled', 'unconfirmed'))
  execute function reevaluate_after_message();
