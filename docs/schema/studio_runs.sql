create table studio_runs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  kind text not null,
  prompt_id bigint,
  prompt_name text not null,
  prompt_type text not null,
  version integer,
  text text not null,
  live_version integer,
  live_text text,
  model_vendor text not null,
  model_name text not null,
  temperature double precision not null,
  repeats integer not null,
  with_judge boolean not null default false,
  settings jsonb not null default '{}'::jsonb,
  state text not null default 'queued'::text,
  reason text,
  budget numeric not null,
  spent numeric not null default 0,
  highest_cost numeric(14,8) not null default 0,
  estimated_calls integer not null,
  estimated_cost numeric(14,8),
  round integer not null default 1,
  failing_since timestamptz(3),
  verdict jsonb,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  constraint studio_runs_pkey PRIMARY KEY (id),
  constraint studio_runs_id_product_id_key UNIQUE (id, product_id),
  constraint studio_runs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint studio_runs_prompt_id_product_id_fkey FOREIGN KEY (prompt_id, product_id) REFERENCES prompts(id, product_id) ON DELETE SET NULL (prompt_id),
  constraint studio_runs_budget_check CHECK (budget >= 0::numeric),
  constraint studio_runs_finished CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text])) = (finished_at IS NULL)),
  constraint studio_runs_kind_check CHECK (kind = ANY (ARRAY['gate'::text, 'replay'::text, 'classification'::text, 'simulation'::text])),
  constraint studio_runs_repeats_check CHECK (repeats > 0),
  constraint studio_runs_state_check CHECK (state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'stopped'::text, 'cancelled'::text, 'failed'::text]))
);

-- studio: runs with work to do
CREATE INDEX studio_runs_open ON studio_runs USING btree (id) WHERE finished_at IS NULL;

-- studio: list a product's runs
CREATE INDEX studio_runs_product ON studio_runs USING btree (product_id, id);

-- studio: the newest gate of a prompt; prompts: runs that outlive a prompt
CREATE INDEX studio_runs_prompt ON studio_runs USING btree (prompt_id, kind, id) WHERE prompt_id IS NOT NULL;
