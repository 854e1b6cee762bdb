create table webhook_deliveries (
  id bigint not null generated always as identity,
  webhook_id bigint not null,
  company_id bigint not null,
  product_id bigint,
  event text not null,
  event_id uuid not null,
  event_key text not null,
  payload jsonb not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  created_at timestamptz(3) not null default domain_now(),
  last_attempt_at timestamptz(3),
  retry_at timestamptz(3),
  expires_at timestamptz(3) not null default (clock_timestamp() + '3 days'::interval),
  settled_at timestamptz(3),
  response_status integer,
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_webhook_id_event_key_key UNIQUE (webhook_id, event_key),
  constraint webhook_deliveries_product_id_company_id_fkey FOREIGN KEY (product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE,
  constraint webhook_deliveries_webhook_id_company_id_fkey FOREIGN KEY (webhook_id, company_id) REFERENCES webhooks(id, company_id) ON DELETE CASCADE,
  constraint webhook_deliveries_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint webhook_deliveries_settled CHECK ((state = 'pending'::text) = (settled_at IS NULL)),
  constraint webhook_deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
);

-- webhooks: deliveries that are due
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (retry_at) WHERE state = 'pending'::text;

-- products: delete a product with what was sent about it
CREATE INDEX webhook_deliveries_product ON webhook_deliveries USING btree (product_id) WHERE product_id IS NOT NULL;

-- webhooks: deliveries that were settled long ago
CREATE INDEX webhook_deliveries_settled ON webhook_deliveries USING btree (settled_at) WHERE settled_at IS NOT NULL;

-- webhooks: list a webhook's deliveries; its last one
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries USING btree (webhook_id, id);
