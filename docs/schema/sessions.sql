create table sessions (
  token_hash bytea not null,
  operator_id bigint not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_seen_at timestamptz(3) not null default clock_timestamp(),
  id bigint not null generated always as identity,
  network text,
  browser text,
  reauthenticated_at timestamptz(3) not null default clock_timestamp(),
  second_factor_due boolean not null default false,
  challenge text,
  challenge_at timestamptz(3),
  constraint sessions_pkey PRIMARY KEY (token_hash),
  constraint sessions_id_key UNIQUE (id),
  constraint sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

-- access: end an operator's sessions
CREATE INDEX sessions_operator ON sessions USING btree (operator_id);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access_changed();

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed_by_proof AFTER UPDATE OF reauthenticated_at ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access_changed();
