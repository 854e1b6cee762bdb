create table alert_pushes (
  id bigint not null generated always as identity,
  alert_id bigint not null,
  endpoint_hash bytea not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamptz(3) not null default domain_now(),
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  constraint alert_pushes_pkey PRIMARY KEY (id),
  constraint alert_pushes_alert_id_endpoint_hash_key UNIQUE (alert_id, endpoint_hash),
  constraint alert_pushes_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES attention_alerts(id) ON DELETE CASCADE,
  constraint alert_pushes_endpoint_hash_fkey FOREIGN KEY (endpoint_hash) REFERENCES push_subscriptions(endpoint_hash) ON DELETE CASCADE,
  constraint alert_pushes_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint alert_pushes_state_check CHECK (state = ANY (ARRAY['pending'::text, 'shown'::text, 'withdrawing'::text, 'withdrawn'::text, 'skipped'::text, 'failed'::text]))
);

-- desk: pushes that are due
CREATE INDEX alert_pushes_due ON alert_pushes USING btree (due_at) WHERE state = ANY (ARRAY['pending'::text, 'withdrawing'::text]);

-- desk: pushes to a browser; delete them with its subscription
CREATE INDEX alert_pushes_subscription ON alert_pushes USING btree (endpoint_hash);
