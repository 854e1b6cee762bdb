create table operator_authenticators (
  operator_id bigint not null,
  secret_sealed text not null,
  confirmed_at timestamptz(3),
  last_step bigint,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint operator_authenticators_pkey PRIMARY KEY (operator_id),
  constraint operator_authenticators_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE OR UPDATE OF confirmed_at ON operator_authenticators FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
