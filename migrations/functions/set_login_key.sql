-- A new login has the skeleton as its key. Two alike logins of 1.0.0 have keys of their own.
create or replace function set_login_key() returns trigger language plpgsql as $$
begin
  new.login_key := coalesce(new.login_key, login_skeleton(new.login));
  return new;
end $$;

create or replace trigger set_login_key before insert on operators for each row execute function set_login_key();
