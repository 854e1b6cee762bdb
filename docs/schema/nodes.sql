create table nodes (
  instance_id uuid not null,
  name text not null,
  roles text[] not null,
  pid integer not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  heartbeat_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  worker_id text,
  version text,
  constraint nodes_pkey PRIMARY KEY (instance_id)
);

-- jobs: instances without a recent heartbeat
CREATE INDEX nodes_alive ON nodes USING btree (heartbeat_at) WHERE ended_at IS NULL;
