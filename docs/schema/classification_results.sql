create table classification_results (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  config_id bigint,
  result jsonb not null,
  created_at timestamptz(3) not null default domain_now(),
  turn integer,
  constraint classification_results_pkey PRIMARY KEY (id),
  constraint classification_results_config_id_product_id_fkey FOREIGN KEY (config_id, product_id) REFERENCES classification_configs(id, product_id) ON DELETE SET NULL (config_id),
  constraint classification_results_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE
);

-- conversations: results of a configuration; delete it with them
CREATE INDEX classification_results_config ON classification_results USING btree (config_id, id);

-- conversations: results of a dialogue, newest first
CREATE INDEX classification_results_dialogue ON classification_results USING btree (dialogue_id, id);

-- conversations: list a product's results
CREATE INDEX classification_results_product ON classification_results USING btree (product_id, id);

-- Rule: a turn has at most one result
CREATE UNIQUE INDEX classification_results_turn ON classification_results USING btree (dialogue_id, turn) WHERE turn IS NOT NULL;
