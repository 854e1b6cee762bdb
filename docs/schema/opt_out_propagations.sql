create table opt_out_propagations (
  lead_id bigint not null,
  product_id bigint not null,
  request_count integer not null default 1,
  requested_at timestamptz(3) not null default clock_timestamp(),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  constraint opt_out_propagations_pkey PRIMARY KEY (lead_id),
  constraint opt_out_propagations_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint opt_out_propagations_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
);

-- conversations: opt-outs that other leads have to follow
CREATE INDEX opt_out_propagations_due ON opt_out_propagations USING btree (requested_at);
