-- The audit log is appended to and never changed, by whichever role: grants.sql lets the app's role only read and
-- append, and this keeps the owner of the table from changing it by mistake or through an injected statement.
create function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- Erasing a person: what the entry held is gone; that it was made, by whom and when, stays.
    if current_setting('rapport.erasing', true) = 'on' and new.before is null and new.after is null
       and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[]
    then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete on audit for each row execute function keep_audit();
create trigger append_only_truncate before truncate on audit for each statement execute function keep_audit();

-- Takes what entries say of people out of them, with the rights of the table's owner. One statement for each way in which
-- an entry speaks of a person, so that each has its index.
create function forget_in_audit(leads bigint[], dialogues bigint[]) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('rapport.erasing', 'on', true);
  update public.audit set before = null, after = null where noun = 'lead' and row_id = any(leads);
  update public.audit set before = null, after = null
   where coalesce(after, before) ? 'lead_id' and coalesce(after, before) ->> 'lead_id' = any(leads::text[]);
  update public.audit set before = null, after = null
   where coalesce(after, before) ? 'dialogue_id' and coalesce(after, before) ->> 'dialogue_id' = any(dialogues::text[]);
  update public.audit set before = null, after = null
   where noun = 'contact' and row_id in (select id from public.contacts where lead_id = any(leads));
  update public.audit set before = null, after = null where noun = 'dialogue' and row_id = any(dialogues);
  update public.audit set before = null, after = null
   where noun = 'message' and row_id in (select m.id from public.messages m
                                           join public.contacts c on c.id = m.contact_id where c.lead_id = any(leads));
  perform set_config('rapport.erasing', 'off', true);
end $$;
revoke execute on function forget_in_audit(bigint[], bigint[]) from public;
