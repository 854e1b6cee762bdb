-- The audit log is append-only for every role: the app's role may not change it (grants.sql), and this keeps the table's
-- owner from changing it by mistake or through an injected statement.
create or replace function reject_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- Erasing a person: what the entry held is gone; that it was made, by whom and when, stays.
    if current_setting('rapport.erasing', true) = 'on' and new.before is null and new.after is null
       and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[]
    then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;

create or replace trigger append_only before delete or update on audit for each row
  execute function reject_audit_change();

create or replace trigger append_only_truncate before truncate on audit for each statement
  execute function reject_audit_change();
