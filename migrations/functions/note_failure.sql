-- Notes in its dialogue that a message has failed or may not have arrived, until it is sent again or removed. Outreach
-- has a list of its own: nobody waits for its messages. Ends a snooze: whoever snoozed the dialogue took the message for
-- delivered, and a lead who has not got it may never write.
create or replace function note_failure() returns trigger language plpgsql as $$
begin
  if new.status in ('error', 'unconfirmed') and new.removed_at is null then
    update dialogues set
      failed_since = case when new.status = 'error' then coalesce(failed_since, domain_now()) else failed_since end,
      unconfirmed_since = case when new.status = 'unconfirmed' then coalesce(unconfirmed_since, domain_now()) else unconfirmed_since end,
      snoozed_until = null, snoozed_until_reply = false
     where id = new.dialogue_id;
  end if;
  if old.status in ('error', 'unconfirmed') then
    update dialogues d set
      failed_since = case when exists (select from messages m where m.dialogue_id = d.id and m.status = 'error'
                                        and m.side = 'bot' and m.origin is null and m.removed_at is null) then d.failed_since end,
      unconfirmed_since = case when exists (select from messages m where m.dialogue_id = d.id and m.status = 'unconfirmed'
                                             and m.side = 'bot' and m.origin is null and m.removed_at is null) then d.unconfirmed_since end
     where d.id = new.dialogue_id and (d.failed_since is not null or d.unconfirmed_since is not null);
  end if;
  return null;
end $$;

create or replace trigger note_failure after update of status, removed_at on messages for each row
  when (new.side = 'bot' and new.origin is null
    and (old.status is distinct from new.status or old.removed_at is distinct from new.removed_at)
    and (old.status in ('error', 'unconfirmed') or new.status in ('error', 'unconfirmed')))
  execute function note_failure();
