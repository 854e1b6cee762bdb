create table llm_runs (
  id bigint not null generated always as identity,
  created_at timestamptz(3) not null default domain_now(),
  product_id bigint not null,
  dialogue_id bigint,
  message_id bigint,
  purpose text not null,
  name text not null,
  model_vendor text not null,
  model_name text not null,
  execution_ms integer not null,
  token_input_usage integer,
  token_output_usage integer,
  metadata jsonb not null default '{}'::jsonb,
  error text,
  cost numeric,
  lead_id bigint,
  attempt smallint not null default 1,
  constraint llm_runs_pkey PRIMARY KEY (id),
  constraint llm_runs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- llm: the cost of a dialogue, read from the index alone
CREATE INDEX llm_runs_dialogue ON llm_runs USING btree (dialogue_id) INCLUDE (cost, token_input_usage, token_output_usage) WHERE dialogue_id IS NOT NULL;

-- llm: the cost of a lead, read from the index alone
CREATE INDEX llm_runs_lead ON llm_runs USING btree (lead_id) INCLUDE (cost, token_input_usage, token_output_usage) WHERE lead_id IS NOT NULL;

-- llm: the cost of a message, read from the index alone
CREATE INDEX llm_runs_message ON llm_runs USING btree (message_id) INCLUDE (cost) WHERE message_id IS NOT NULL;

-- products: delete a product with its runs
CREATE INDEX llm_runs_product ON llm_runs USING btree (product_id, id);

-- monitoring: model runs of the last hour
CREATE INDEX llm_runs_recent ON llm_runs USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');

-- llm: recent runs that wait for the price of their model
CREATE INDEX llm_runs_unpriced ON llm_runs USING btree (created_at) WHERE cost IS NULL AND token_input_usage IS NOT NULL;

-- migrations/functions/count_run.sql
CREATE TRIGGER count_run AFTER UPDATE OF cost, lead_id ON llm_runs FOR EACH ROW WHEN (old.cost IS DISTINCT FROM new.cost OR old.lead_id IS DISTINCT FROM new.lead_id) EXECUTE FUNCTION count_run();

-- migrations/functions/count_runs.sql
CREATE TRIGGER count_runs AFTER INSERT ON llm_runs REFERENCING NEW TABLE AS new_runs FOR EACH STATEMENT EXECUTE FUNCTION count_runs();

-- migrations/functions/stamp_run.sql
CREATE TRIGGER stamp_run BEFORE UPDATE OF lead_id ON llm_runs FOR EACH ROW WHEN (new.lead_id IS NOT NULL AND old.lead_id IS DISTINCT FROM new.lead_id) EXECUTE FUNCTION stamp_run();
