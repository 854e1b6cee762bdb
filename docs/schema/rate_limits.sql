create table rate_limits (
  key text not null,
  next_at timestamp with time zone not null default clock_timestamp(),
  constraint rate_limits_pkey PRIMARY KEY (key)
);
