create table operators (
  id bigint not null generated always as identity,
  login text not null,
  password_hash text not null,
  role text not null,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_sign_in_at timestamptz(3),
  revision integer not null default 1,
  login_key text not null,
  must_change_password boolean not null default false,
  constraint operators_pkey PRIMARY KEY (id),
  constraint operators_role_check CHECK (role = ANY (ARRAY['admin'::text, 'member'::text]))
);

-- Rule: logins differ in more than case; access: find an operator by login
CREATE UNIQUE INDEX operators_login ON operators USING btree (lower(login));

-- Rule: logins do not look alike
CREATE UNIQUE INDEX operators_login_key ON operators USING btree (login_key);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER DELETE OR UPDATE OF login, password_hash, role, is_active ON operators FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

-- migrations/functions/set_login_key.sql
CREATE TRIGGER set_login_key BEFORE INSERT ON operators FOR EACH ROW EXECUTE FUNCTION set_login_key();
