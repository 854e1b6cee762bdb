-- What the role of the app may do with the tables as they are now. Run after each migration, as often as one likes.
begin;
revoke create on schema public from public;
grant usage on schema public to rapport_app;
grant select, insert, update, delete on all tables in schema public to rapport_app;
grant usage, select on all sequences in schema public to rapport_app;
grant execute on function redact_audit(bigint[], bigint[]) to rapport_app;
-- It runs with the rights of its owner: for the app alone, not for every role of the server.
revoke execute on function analyze_tables(), analyze_grown_tables() from public;
grant execute on function analyze_tables(), analyze_grown_tables() to rapport_app;
-- Which migrations were run is for those to say who run them.
revoke insert, update, delete on migrations from rapport_app;
-- The audit log is appended to. Erasing a person goes through redact_audit().
revoke update, delete on audit from rapport_app;

do $$
declare one regclass;
begin
  -- The jobs of earlier versions, whose processes may run beside this one during an upgrade.
  if to_regnamespace('graphile_worker') is not null then
    grant usage on schema graphile_worker to rapport_app;
    grant select, insert, update, delete on all tables in schema graphile_worker to rapport_app;
    grant usage, select on all sequences in schema graphile_worker to rapport_app;
    grant execute on all functions in schema graphile_worker to rapport_app;
    revoke insert, update, delete on graphile_worker.migrations from rapport_app;
    -- Its tables are closed to everybody but their owner by row security.
    for one in
      select c.oid from pg_class c
       where c.relnamespace = to_regnamespace('graphile_worker') and c.relrowsecurity
         and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'rapport_app')
    loop
      execute format('create policy rapport_app on %s to rapport_app using (true) with check (true)', one);
    end loop;
  end if;
  -- Only the owner of a database may; where the owner is another role, that is left to whoever set it up.
  if exists (select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')) then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
end $$;
commit;
