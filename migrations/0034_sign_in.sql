-- Logins that look alike are one. What an eye takes for the same letter is folded into one letter.
create function login_skeleton(login text) returns text language sql immutable parallel safe as $$
  select translate(
    lower(normalize(regexp_replace(login, '\s+', ' ', 'g'), NFKC)),
    'авеёкмнопрстухіїјѕԁһԛԝӏαβεζηικμνορτυχ|01i',
    'abeekmhonpctyxlljsdhqwlabezhlkmvoptyxloll')
$$;

-- Two logins of before that look alike both stay: the later one is told apart by its id.
alter table operators add column login_key text;
update operators o set login_key = login_skeleton(login) || case
  when exists (select 1 from operators other where other.id < o.id and login_skeleton(other.login) = login_skeleton(o.login))
  then E'\n' || o.id else '' end;
alter table operators alter column login_key set not null;
create unique index operators_login_key on operators (login_key);

create function set_login_key() returns trigger language plpgsql as $$
begin
  new.login_key := coalesce(new.login_key, login_skeleton(new.login));
  return new;
end $$;
create trigger set_login_key before insert on operators for each row execute function set_login_key();

alter table sessions
  -- By which its operator ends it; the token's hash is never shown.
  add column id bigint generated always as identity unique,
  -- Where it was opened from, and by which browser.
  add column network text,
  add column browser text,
  -- Real clock: when its operator last proved his password or passkey.
  add column proved_at timestamptz(3) not null default clock_timestamp();
