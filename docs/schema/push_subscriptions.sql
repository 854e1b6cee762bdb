create table push_subscriptions (
  endpoint_hash bytea not null,
  operator_id bigint not null,
  session_id bigint not null,
  subscription_sealed text not null,
  host text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_error text,
  last_error_at timestamptz(3),
  constraint push_subscriptions_pkey PRIMARY KEY (endpoint_hash),
  constraint push_subscriptions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE,
  constraint push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

-- desk: the browsers of an operator
CREATE INDEX push_subscriptions_operator ON push_subscriptions USING btree (operator_id);

-- Rule: a browser has one subscription; access: end it with the session
CREATE UNIQUE INDEX push_subscriptions_session ON push_subscriptions USING btree (session_id);
