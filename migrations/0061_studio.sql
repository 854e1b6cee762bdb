-- The studio: test cases of prompts, and runs that try a candidate text. Nothing here is ever sent to anybody. Leases and
-- retries are of the real clock, all other times of the domain clock.
create table studio_cases (
  id bigint generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  -- Null: it tests whichever prompt of its type is changed.
  prompt_id bigint,
  prompt_type text not null check (prompt_type in ('prompt', 'classification')),
  name text not null check (btrim(name) <> ''),
  source text not null check (source in ('keep', 'never', 'should_say', 'manual')),
  -- Messages are deleted one by one: what is read is whether it is still there.
  message_id bigint,
  dialogue_id bigint,
  -- The lead whose words or facts it holds; it is deleted with it.
  lead_id bigint,
  history jsonb not null,
  facts jsonb not null,
  answer text,
  requirements jsonb not null,
  rubric text,
  is_enabled boolean not null default true,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  unique (id, product_id),
  foreign key (prompt_id, product_id) references prompts (id, product_id) on delete cascade,
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index studio_cases_product on studio_cases (product_id, id);
comment on index studio_cases_product is 'studio: list a product''s cases';
create index studio_cases_prompt on studio_cases (prompt_id) where prompt_id is not null;
comment on index studio_cases_prompt is 'studio: the cases of a prompt; prompts: delete them with it';
create index studio_cases_dialogue on studio_cases (dialogue_id) where dialogue_id is not null;
comment on index studio_cases_dialogue is 'conversations: cases that are deleted with a dialogue';
create index studio_cases_lead on studio_cases (lead_id) where lead_id is not null;
comment on index studio_cases_lead is 'leads: count the cases of a lead, and delete them with it';

create table studio_runs (
  id bigint generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  kind text not null check (kind in ('gate', 'replay', 'classification', 'simulation')),
  -- Null: the prompt was deleted; the run keeps what it tried.
  prompt_id bigint,
  prompt_name text not null,
  prompt_type text not null,
  -- Null: a text that was not saved.
  version integer,
  text text not null,
  -- Null: nothing was live.
  live_version integer,
  live_text text,
  model_vendor text not null,
  model_name text not null,
  temperature float8 not null,
  repeats integer not null check (repeats > 0),
  with_judge boolean not null default false,
  -- What the kind was asked for, and what it keeps for its verdict. No words of leads.
  settings jsonb not null default '{}',
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'stopped', 'cancelled', 'failed')),
  reason text,
  budget numeric(14,8) not null check (budget >= 0),
  -- Paid, or possibly paid by a process that died during a call.
  spent numeric(14,8) not null default 0,
  -- The highest cost of a call so far: what a later call reserves at least.
  highest_cost numeric(14,8) not null default 0,
  estimated_calls integer not null,
  estimated_cost numeric(14,8),
  -- How often samples were added: the first ones, then confirmations or judgements.
  round integer not null default 1,
  -- Since when every call has failed; null: the last one succeeded.
  failing_since timestamptz(3),
  -- Counts and rates of the kind's verdict. What it says of single subjects is in their rows.
  verdict jsonb,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  unique (id, product_id),
  foreign key (prompt_id, product_id) references prompts (id, product_id) on delete set null (prompt_id),
  constraint studio_runs_finished check ((state in ('queued', 'running')) = (finished_at is null))
);
create index studio_runs_product on studio_runs (product_id, id);
comment on index studio_runs_product is 'studio: list a product''s runs';
create index studio_runs_prompt on studio_runs (prompt_id, kind, id) where prompt_id is not null;
comment on index studio_runs_prompt is 'studio: the newest gate of a prompt; prompts: runs that outlive a prompt';
create index studio_runs_open on studio_runs (id) where finished_at is null;
comment on index studio_runs_open is 'studio: runs with work to do';

-- What a run tries: a case, a turn or dialogue that is replayed, a persona. Deleted with the lead whose words it holds.
create table studio_subjects (
  id bigint generated always as identity primary key,
  run_id bigint not null,
  product_id bigint not null,
  -- Unique in its run.
  key text not null,
  kind text not null check (kind in ('case', 'turn', 'dialogue', 'persona')),
  name text not null,
  -- Rows that it came from. Those of cases, messages and personas may be gone.
  case_id bigint,
  dialogue_id bigint,
  lead_id bigint,
  message_id bigint,
  persona_id bigint,
  history jsonb not null default '[]',
  real text,
  -- What the kind of run needs to make its samples.
  input jsonb not null default '{}',
  state text not null default 'open' check (state in ('open', 'green', 'red', 'advisory', 'missing', 'changed', 'same')),
  -- Results are listed by it, the highest first.
  rank float8 not null default 0,
  -- What the kind of run found.
  result jsonb,
  unique (run_id, key),
  unique (id, run_id),
  foreign key (run_id, product_id) references studio_runs (id, product_id) on delete cascade,
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index studio_subjects_rank on studio_subjects (run_id, rank desc, id);
comment on index studio_subjects_rank is 'studio: the results of a run, what matters most first';
create index studio_subjects_dialogue on studio_subjects (dialogue_id) where dialogue_id is not null;
comment on index studio_subjects_dialogue is 'conversations: subjects that are deleted with a dialogue';
create index studio_subjects_lead on studio_subjects (lead_id) where lead_id is not null;
comment on index studio_subjects_lead is 'leads: subjects that are deleted with a lead';

-- The unit of work: one answer, judgement or talk.
create table studio_samples (
  id bigint generated always as identity primary key,
  run_id bigint not null,
  subject_id bigint not null,
  arm text not null check (arm in ('candidate', 'live', 'judge')),
  repeat integer not null check (repeat >= 0),
  model_vendor text not null,
  model_name text not null,
  -- What one of its calls reserves, US dollars.
  call_cost numeric(14,8) not null,
  state text not null default 'open' check (state in ('open', 'done', 'failed', 'skipped')),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  -- Of the call in progress; 0: there is none.
  reserved numeric(14,8) not null default 0,
  cost numeric(14,8) not null default 0,
  -- Answers of its calls so far: a sample that is resumed does not pay for them again.
  calls jsonb not null default '[]',
  output jsonb,
  error text,
  violations jsonb not null default '[]',
  claimed_by uuid,
  claimed_until timestamptz(3),
  finished_at timestamptz(3),
  unique (subject_id, arm, repeat),
  foreign key (subject_id, run_id) references studio_subjects (id, run_id) on delete cascade,
  constraint studio_samples_claim_ends check ((claimed_by is null) = (claimed_until is null)),
  constraint studio_samples_finished check ((state = 'open') = (finished_at is null))
);
create index studio_samples_run on studio_samples (run_id, state);
comment on index studio_samples_run is 'studio: progress of a run';
create index studio_samples_open on studio_samples (run_id, id) where state = 'open';
comment on index studio_samples_open is 'studio: samples to be made, and what those in progress have reserved';
