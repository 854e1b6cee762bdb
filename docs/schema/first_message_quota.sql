create table first_message_quota (
  product_id bigint not null,
  channel_type text not null,
  day date not null,
  number integer not null,
  channel_id bigint not null,
  message_id bigint not null,
  taken_at timestamptz(3) not null default domain_now(),
  constraint first_message_quota_pkey PRIMARY KEY (product_id, channel_type, day, number),
  constraint first_message_quota_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint first_message_quota_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint first_message_quota_channel_type_check CHECK (channel_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text])),
  constraint first_message_quota_number_check CHECK (number >= 1)
);

-- outreach: first messages of a channel in a period
CREATE INDEX first_message_quota_channel ON first_message_quota USING btree (channel_id, taken_at);

-- Rule: a message uses the quota once; outreach: return the quota of a message
CREATE UNIQUE INDEX first_message_quota_message ON first_message_quota USING btree (message_id);

-- outreach: first messages of a product in its day
CREATE INDEX first_message_quota_taken ON first_message_quota USING btree (product_id, taken_at);
