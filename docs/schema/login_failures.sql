create table login_failures (
  id bigint not null generated always as identity,
  login text not null,
  address text not null,
  at timestamptz(3) not null default clock_timestamp(),
  constraint login_failures_pkey PRIMARY KEY (id)
);

-- access: count wrong logins by network address, and by address and login
CREATE INDEX login_failures_address ON login_failures USING btree (address, at);
