create table studio_samples (
  id bigint not null generated always as identity,
  run_id bigint not null,
  subject_id bigint not null,
  arm text not null,
  repeat integer not null,
  model_vendor text not null,
  model_name text not null,
  call_cost numeric(14,8) not null,
  state text not null default 'open'::text,
  attempts integer not null default 0,
  retry_at timestamptz(3),
  reserved numeric(14,8) not null default 0,
  cost numeric(14,8) not null default 0,
  calls jsonb not null default '[]'::jsonb,
  output jsonb,
  error text,
  violations jsonb not null default '[]'::jsonb,
  claimed_by uuid,
  claimed_until timestamptz(3),
  finished_at timestamptz(3),
  constraint studio_samples_pkey PRIMARY KEY (id),
  constraint studio_samples_subject_id_arm_repeat_key UNIQUE (subject_id, arm, repeat),
  constraint studio_samples_subject_id_run_id_fkey FOREIGN KEY (subject_id, run_id) REFERENCES studio_subjects(id, run_id) ON DELETE CASCADE,
  constraint studio_samples_arm_check CHECK (arm = ANY (ARRAY['candidate'::text, 'live'::text, 'judge'::text])),
  constraint studio_samples_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint studio_samples_finished CHECK ((state = 'open'::text) = (finished_at IS NULL)),
  constraint studio_samples_repeat_check CHECK (repeat >= 0),
  constraint studio_samples_state_check CHECK (state = ANY (ARRAY['open'::text, 'done'::text, 'failed'::text, 'skipped'::text]))
);

-- studio: samples to be made, and what those in progress have reserved
CREATE INDEX studio_samples_open ON studio_samples USING btree (run_id, id) WHERE state = 'open'::text;

-- studio: progress of a run
CREATE INDEX studio_samples_run ON studio_samples USING btree (run_id, state);
