-- Starts an alert when a dialogue comes to need people, ends it when it does not any more, and follows its assignee.
create or replace function track_alert() returns trigger language plpgsql as $$
declare
  changed bigint;
begin
  if tg_op = 'DELETE' or new.inbox_state <> 'needs_human' then
    update attention_alerts set ended_at = clock_timestamp(), planned_at = null
     where dialogue_id = old.id and ended_at is null returning id into changed;
  elsif tg_op = 'UPDATE' and old.inbox_state = 'needs_human' then
    update attention_alerts set assignee_id = new.assignee_id, planned_at = null
     where dialogue_id = new.id and ended_at is null returning id into changed;
  else
    insert into attention_alerts (product_id, dialogue_id, assignee_id)
    values (new.product_id, new.id, new.assignee_id) on conflict do nothing returning id into changed;
  end if;
  if changed is not null then
    perform pg_notify('live', json_build_object('topic', 'alert', 'product', case tg_op when 'DELETE' then old.product_id else new.product_id end,
                                                'ids', json_build_array(changed))::text),
            pg_notify('sweep', 'alerts');
  end if;
  return null;
end $$;

create or replace trigger track_alert_new after insert on dialogues for each row
  when (new.inbox_state = 'needs_human') execute function track_alert();

create or replace trigger track_alert after update on dialogues for each row
  when ((old.inbox_state = 'needs_human' or new.inbox_state = 'needs_human')
    and (old.inbox_state <> new.inbox_state or old.assignee_id is distinct from new.assignee_id))
  execute function track_alert();

create or replace trigger track_alert_removed after delete on dialogues for each row
  when (old.inbox_state = 'needs_human') execute function track_alert();
