-- Nodes cache sessions and the companies of products; this makes them forget.
create or replace function notify_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $$;

create or replace trigger notify_access_changed after delete on companies for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after update of second_factor_required on installation for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after insert or delete or update of confirmed_at on operator_authenticators for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after insert or delete or update on operator_companies for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after insert or delete on operator_passkeys for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after delete or update of login, password_hash, role, is_active on operators for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after delete or update on products for each statement
  execute function notify_access_changed();

create or replace trigger notify_access_changed after delete on sessions for each row
  execute function notify_access_changed();

create or replace trigger notify_access_changed_by_proof after update of reauthenticated_at on sessions for each row
  execute function notify_access_changed();
