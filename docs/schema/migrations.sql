create table migrations (
  name text not null,
  applied_at timestamptz(3) not null default clock_timestamp(),
  constraint migrations_pkey PRIMARY KEY (name)
);
