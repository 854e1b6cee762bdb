-- Counts dialogues by state of the inbox and assignee: appends the difference that a change makes.
create or replace function count_inbox() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into inbox_counts (product_id, inbox_state, assignee_id, count)
    values (old.product_id, old.inbox_state, old.assignee_id, -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into inbox_counts (product_id, inbox_state, assignee_id, count)
    values (new.product_id, new.inbox_state, new.assignee_id, 1);
  end if;
  return null;
end $$;

create or replace trigger count_inbox_new after insert or delete on dialogues for each row execute function count_inbox();

create or replace trigger count_inbox after update on dialogues for each row
  when (old.inbox_state <> new.inbox_state or old.assignee_id is distinct from new.assignee_id)
  execute function count_inbox();
