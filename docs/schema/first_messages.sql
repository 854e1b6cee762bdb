create table first_messages (
  product_id bigint not null,
  address text not null,
  lead_id bigint not null,
  contact_id bigint not null,
  message_id bigint not null,
  refused boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  is_repeat boolean not null default false,
  constraint first_messages_pkey PRIMARY KEY (product_id, address),
  constraint first_messages_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint first_messages_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- leads: delete a lead with its first messages; outreach: whether a contact refused one
CREATE INDEX first_messages_lead ON first_messages USING btree (lead_id);

-- outreach: the first message behind a delivery failure
CREATE INDEX first_messages_message ON first_messages USING btree (message_id);

-- Rule: a person gets one first message of a product, ever
CREATE UNIQUE INDEX first_messages_person ON first_messages USING btree (product_id, person_key(address)) WHERE NOT is_repeat;
