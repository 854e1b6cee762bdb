-- A dialogue is new, has a new message, another owner or nothing to answer any more: its lead's outreach is evaluated.
create or replace function reevaluate_after_dialogue() returns trigger language plpgsql as $$
begin
  perform reevaluate_lead(c.lead_id) from contacts c where c.id = new.contact_id;
  return null;
end $$;

-- A statement that has said so leaves the plans of its leads to another one of its transaction, which is for all of them.
create or replace trigger reevaluate after update on dialogues for each row
  when ((old.owner is distinct from new.owner or old.is_main is distinct from new.is_main
    or old.last_user_msg_id is distinct from new.last_user_msg_id
    or old.last_bot_msg_id is distinct from new.last_bot_msg_id
    or old.skip_ping_for_msg_id is distinct from new.skip_ping_for_msg_id
    or old.closed_msg_id is distinct from new.closed_msg_id)
    and current_setting('rapport.saves_plan', true) is distinct from 'on')
  execute function reevaluate_after_dialogue();

create or replace trigger reevaluate_new after insert on dialogues for each row
  when (current_setting('rapport.saves_plan', true) is distinct from 'on')
  execute function reevaluate_after_dialogue();
