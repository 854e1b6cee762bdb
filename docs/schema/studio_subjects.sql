create table studio_subjects (
  id bigint not null generated always as identity,
  run_id bigint not null,
  product_id bigint not null,
  key text not null,
  kind text not null,
  name text not null,
  case_id bigint,
  dialogue_id bigint,
  lead_id bigint,
  message_id bigint,
  persona_id bigint,
  history jsonb not null default '[]'::jsonb,
  real text,
  input jsonb not null default '{}'::jsonb,
  state text not null default 'open'::text,
  rank double precision not null default 0,
  result jsonb,
  constraint studio_subjects_pkey PRIMARY KEY (id),
  constraint studio_subjects_id_run_id_key UNIQUE (id, run_id),
  constraint studio_subjects_run_id_key_key UNIQUE (run_id, key),
  constraint studio_subjects_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint studio_subjects_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint studio_subjects_run_id_product_id_fkey FOREIGN KEY (run_id, product_id) REFERENCES studio_runs(id, product_id) ON DELETE CASCADE,
  constraint studio_subjects_kind_check CHECK (kind = ANY (ARRAY['case'::text, 'turn'::text, 'dialogue'::text, 'persona'::text])),
  constraint studio_subjects_state_check CHECK (state = ANY (ARRAY['open'::text, 'green'::text, 'red'::text, 'advisory'::text, 'missing'::text, 'changed'::text, 'same'::text]))
);

-- conversations: subjects that are deleted with a dialogue
CREATE INDEX studio_subjects_dialogue ON studio_subjects USING btree (dialogue_id) WHERE dialogue_id IS NOT NULL;

-- leads: subjects that are deleted with a lead
CREATE INDEX studio_subjects_lead ON studio_subjects USING btree (lead_id) WHERE lead_id IS NOT NULL;

-- studio: the results of a run, what matters most first
CREATE INDEX studio_subjects_rank ON studio_subjects USING btree (run_id, rank DESC, id);
