-- Tells consoles of a dialogue whose place in the inbox, assignee or last message there has changed. What only the bot
-- does is not told.
create or replace function notify_inbox() returns trigger language plpgsql as $$
declare
  changed dialogues := case tg_op when 'DELETE' then old else new end;
begin
  perform pg_notify('live', json_build_object('topic', 'inbox', 'product', changed.product_id,
                                              'ids', json_build_array(changed.id))::text);
  return null;
end $$;

create or replace trigger notify_inbox after update on dialogues for each row
  when ((new.inbox_state <> 'bot' or old.inbox_state <> 'bot')
    and (old.inbox_state <> new.inbox_state or old.assignee_id is distinct from new.assignee_id
      or old.attention is distinct from new.attention or old.attention_since is distinct from new.attention_since
      or old.snoozed_until is distinct from new.snoozed_until
      or old.last_msg_created_at is distinct from new.last_msg_created_at))
  execute function notify_inbox();

create or replace trigger notify_inbox_removed after delete on dialogues for each row
  when (old.inbox_state <> 'bot') execute function notify_inbox();
