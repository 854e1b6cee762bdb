create table outreach (
  lead_id bigint not null,
  product_id bigint not null,
  next_at timestamptz(3) default domain_now(),
  retry_at timestamptz(3),
  attempts integer not null default 0,
  queue_type text,
  queued_at timestamptz(3),
  claimed_by uuid,
  next_action text,
  next_action_at timestamptz(3),
  reason jsonb,
  claimed_until timestamptz(3),
  constraint outreach_pkey PRIMARY KEY (lead_id),
  constraint outreach_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint outreach_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint outreach_next_action_check CHECK (next_action = ANY (ARRAY['first'::text, 'ping'::text, 'expire'::text])),
  constraint outreach_queue_type_check CHECK (queue_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text]))
);

-- outreach: leads whose next evaluation is due; monitoring counts them
CREATE INDEX outreach_due ON outreach USING btree (next_at) WHERE next_at IS NOT NULL;

-- outreach: a product's queue of first messages, in order
CREATE INDEX outreach_queue ON outreach USING btree (product_id, queue_type, queued_at, lead_id) WHERE queued_at IS NOT NULL;
