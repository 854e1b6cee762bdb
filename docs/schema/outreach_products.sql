create table outreach_products (
  product_id bigint not null,
  next_at timestamptz(3),
  replan boolean not null default false,
  last_first_message_at timestamptz(3),
  last_first_message_lead_id bigint,
  last_first_message_id bigint,
  claimed_by uuid,
  claimed_until timestamptz(3),
  constraint outreach_products_pkey PRIMARY KEY (product_id),
  constraint outreach_products_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint outreach_products_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
);

-- outreach: products whose queue is due
CREATE INDEX outreach_products_due ON outreach_products USING btree (next_at) WHERE next_at IS NOT NULL;

-- outreach: products whose settings have changed
CREATE INDEX outreach_products_replan ON outreach_products USING btree (product_id) WHERE replan;
