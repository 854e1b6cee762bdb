-- Second factors of operators: an authenticator app (TOTP), passkeys, and codes to recover with.
alter table installation add column second_factor_required boolean not null default false;

alter table sessions
  -- The password was right and the second factor is still to come: nothing is open to it but that step.
  add column second_factor_due boolean not null default false,
  -- Of a passkey that was asked for; used once. Real clock.
  add column challenge text,
  add column challenge_at timestamptz(3);

create table operator_authenticators (
  operator_id bigint primary key references operators on delete cascade,
  secret_sealed text not null,
  -- Null until a first code has shown that the app has the secret.
  confirmed_at timestamptz(3),
  -- The last time step whose code was taken; none is taken twice.
  last_step bigint,
  created_at timestamptz(3) not null default clock_timestamp()
);

create table operator_recovery_codes (
  -- Keyed hash; a code that was used is deleted.
  code_hash bytea primary key,
  operator_id bigint not null references operators on delete cascade
);
create index operator_recovery_codes_operator on operator_recovery_codes (operator_id);

create table operator_passkeys (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators on delete cascade,
  name text not null,
  credential_id text not null unique,
  public_key bytea not null,
  -- Of its signatures: one that does not grow is a copy's.
  counter bigint not null,
  transports jsonb not null default '[]',
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3)
);
create index operator_passkeys_operator on operator_passkeys (operator_id);

-- Nodes keep in memory what a session may do.
create trigger forget_session after update of proved_at on sessions for each row execute function forget();
create trigger forget after insert or delete on operator_passkeys for each statement execute function forget();
create trigger forget after insert or delete or update of confirmed_at on operator_authenticators
  for each statement execute function forget();
create trigger forget_policy after update of second_factor_required on installation
  for each statement execute function forget();
