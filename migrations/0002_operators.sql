-- Operators, their sessions, and the trail of what they did.

create table operators (
  id bigint generated always as identity primary key,
  login text not null,
  password_hash text not null,
  role text not null check (role in ('admin', 'member')),
  is_active boolean not null default true,
  created_at timestamptz(3) not null default clock_timestamp()
);
create unique index operators_login on operators (lower(login));

-- Sessions live on the real clock: moving the domain clock signs nobody out.
create table sessions (
  token_hash bytea primary key,
  operator_id bigint not null references operators on delete cascade,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_seen_at timestamptz(3) not null default clock_timestamp()
);
create index sessions_operator on sessions (operator_id);

create table login_failures (
  id bigint generated always as identity primary key,
  login text not null,
  address text not null,
  at timestamptz(3) not null default clock_timestamp()
);
create index login_failures_recent on login_failures (login, address, at);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default domain_now(),
  operator_id bigint,
  operator text,
  action text not null,
  noun text not null,
  row_id bigint,
  product_id bigint,
  company_id bigint,
  before jsonb,
  after jsonb,
  request_id text
);
create index audit_row on audit (noun, row_id, id);
