create table outcome_origins (
  id integer not null generated always as identity,
  product_id bigint not null,
  key text not null,
  channel_id bigint,
  started_by text,
  source text,
  import_id bigint,
  crm_pipeline_id bigint,
  crm_step_id bigint,
  prepared_message_id bigint,
  text_prompt_id bigint,
  text_prompt_version integer,
  constraint outcome_origins_pkey PRIMARY KEY (id),
  constraint outcome_origins_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- outcomes: the origin of an attempt by its values
CREATE INDEX outcome_origins_key ON outcome_origins USING btree (product_id, key);
