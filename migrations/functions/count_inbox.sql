-- Counts dialogues by state of the inbox and assignee: appends the difference that a change makes; of new ones, that of all
-- of a statement.
create or replace function count_inbox() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into inbox_counts (product_id, inbox_state, assignee_id, count)
    select product_id, inbox_state, assignee_id, count(*) from new_dialogues group by product_id, inbox_state, assignee_id;
    return null;
  end if;
  insert into inbox_counts (product_id, inbox_state, assignee_id, count)
  values (old.product_id, old.inbox_state, old.assignee_id, -1);
  if tg_op = 'UPDATE' then
    insert into inbox_counts (product_id, inbox_state, assignee_id, count)
    values (new.product_id, new.inbox_state, new.assignee_id, 1);
  end if;
  return null;
end $$;

create or replace trigger count_inbox_new after insert on dialogues
  referencing new table as new_dialogues for each statement execute function count_inbox();

create or replace trigger count_inbox_removed after delete on dialogues for each row execute function count_inbox();

create or replace trigger count_inbox after update on dialogues for each row
  when (old.inbox_state <> new.inbox_state or old.assignee_id is distinct from new.assignee_id)
  execute function count_inbox();
