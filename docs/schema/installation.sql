create table installation (
  id integer not null default 1,
  mode text,
  clock_offset interval not null default '00:00:00'::interval,
  key_check text,
  created_at timestamptz(3) not null default clock_timestamp(),
  second_factor_required boolean not null default false,
  hash_key_sealed text,
  vapid_public_key text,
  vapid_private_key_sealed text,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK (id = 1),
  constraint installation_mode_check CHECK (mode = ANY (ARRAY['sandbox'::text, 'production'::text])),
  constraint installation_vapid_keys CHECK ((vapid_public_key IS NULL) = (vapid_private_key_sealed IS NULL))
);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER UPDATE OF second_factor_required ON installation FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
