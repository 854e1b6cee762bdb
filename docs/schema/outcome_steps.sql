create table outcome_steps (
  message_id bigint not null,
  lead_id bigint not null,
  attempt smallint not null,
  product_id bigint not null,
  ping_config_id bigint,
  step integer not null,
  sent_at timestamptz(3) not null,
  answered_at timestamptz(3),
  opted_out boolean not null default false,
  prepared_message_id bigint,
  constraint outcome_steps_pkey PRIMARY KEY (message_id),
  constraint outcome_steps_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE
);

-- outcomes: follow-ups of an attempt
CREATE INDEX outcome_steps_outcome ON outcome_steps USING btree (lead_id, attempt);

-- outcomes: attempts with a prepared message as follow-up
CREATE INDEX outcome_steps_prepared ON outcome_steps USING btree (prepared_message_id, lead_id, attempt) WHERE prepared_message_id IS NOT NULL;

-- outcomes: a product's follow-ups by time
CREATE INDEX outcome_steps_product ON outcome_steps USING btree (product_id, sent_at);
