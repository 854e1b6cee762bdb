create table operator_passkeys (
  id bigint not null generated always as identity,
  operator_id bigint not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports jsonb not null default '[]'::jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3),
  constraint operator_passkeys_pkey PRIMARY KEY (id),
  constraint operator_passkeys_credential_id_key UNIQUE (credential_id),
  constraint operator_passkeys_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

-- access: an operator's passkeys
CREATE INDEX operator_passkeys_operator ON operator_passkeys USING btree (operator_id);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE ON operator_passkeys FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
