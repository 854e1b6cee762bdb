-- The ground: what kind of installation this is, its clock, and the nodes that serve it.

create table installation (
  id int primary key default 1 check (id = 1),
  -- Null until the first start of a server decides it.
  mode text check (mode in ('sandbox', 'production')),
  -- The domain clock is the database's clock plus this. Production never moves it.
  clock_offset interval not null default '0',
  -- A known word sealed under the secret key: a wrong key is told at the start, not at the first secret.
  key_check text,
  created_at timestamptz(3) not null default clock_timestamp()
);
insert into installation default values;

-- Domain time. statement_timestamp() and not now(): a transaction that waited for a lock must not act on an old instant.
create function domain_now() returns timestamptz(3) language sql stable
  return (statement_timestamp() + (select clock_offset from installation))::timestamptz(3);

-- One row for each life of each server process. Leases hang on a life's heartbeat, on the real clock.
create table nodes (
  life uuid primary key,
  name text not null,
  roles text[] not null,
  pid int not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  beat_at timestamptz(3) not null default clock_timestamp(),
  -- Set when the life ended, by itself or by another's verdict.
  ended_at timestamptz(3),
  worker_ids text[] not null default '{}'
);
create index nodes_living on nodes (beat_at) where ended_at is null;

-- Pace of calls to the outside, shared by all nodes: the instant at which the next call may leave.
create table paces (
  key text primary key,
  next_at timestamptz not null default clock_timestamp()
);
