-- Experiments: arms of the first text, the chatbot prompt or the model, among which a product's new leads are split. Times
-- are of the domain clock.
create table experiments (
  id bigint generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  name text not null check (btrim(name) <> ''),
  kind text not null check (kind in ('first_text', 'prompt', 'model')),
  metric text not null check (metric in ('answered', 'qualified', 'success')),
  days integer not null check (days > 0),
  part float8 not null check (part > 0 and part <= 1),
  base_rate float8 not null,
  difference float8 not null,
  guards jsonb not null,
  -- As they were written; what they use since the start is in arm_states.
  arms jsonb not null,
  analyses integer not null,
  per_arm integer not null,
  state text not null default 'draft' check (state in ('draft', 'running', 'stopped')),
  arm_states jsonb not null default '[]',
  started_at timestamptz(3),
  started_by text,
  stopped_at timestamptz(3),
  stopped_by text,
  ended_by text check (ended_by in ('decided', 'operator', 'guard')),
  conclusion text,
  applied_arm integer,
  applied_at timestamptz(3),
  applied_by text,
  -- What the product used before.
  applied_before jsonb,
  -- The last of the planned looks at the guards.
  guard_look integer not null default 0,
  -- When a running experiment is to be looked at again.
  check_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  unique (id, product_id),
  constraint experiments_started check ((state = 'draft') = (started_at is null)),
  constraint experiments_stopped check ((state = 'stopped') = (stopped_at is not null)),
  constraint experiments_checked check ((state = 'running') = (check_at is not null))
);
create unique index experiments_running on experiments (product_id, kind) where state = 'running';
comment on index experiments_running is 'Rule: one experiment of a kind runs on a product; conversations, outreach: find those that run';
create index experiments_product on experiments (product_id, id);
comment on index experiments_product is 'outcomes: list a product''s experiments';
create index experiments_check on experiments (check_at) where check_at is not null;
comment on index experiments_check is 'outcomes: experiments that are to be looked at';

-- What was decided about a lead when it was exposed first. It never changes, but for leads that turn out to be a person
-- who was assigned before.
create table experiment_assignments (
  id bigint generated always as identity primary key,
  experiment_id bigint not null,
  product_id bigint not null,
  lead_id bigint not null,
  -- The lead's attempt at that time, whose outcome counts.
  attempt smallint not null,
  -- Null: the lead does not take part.
  arm smallint,
  assigned_at timestamptz(3) not null default domain_now(),
  -- Why it does not count. same_person: as a lead that was assigned before, with the same arm. united: with another arm;
  -- then it gets no variant any more.
  excluded text check (excluded in ('same_person', 'united')),
  unique (experiment_id, lead_id),
  foreign key (experiment_id, product_id) references experiments (id, product_id) on delete cascade,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index experiment_assignments_lead on experiment_assignments (lead_id, attempt);
comment on index experiment_assignments_lead is 'conversations: arms of a lead; outcomes: experiments of an attempt';

-- The record of each analysis. It is written once.
create table experiment_analyses (
  experiment_id bigint not null,
  product_id bigint not null,
  analysis integer not null,
  at timestamptz(3) not null default domain_now(),
  -- Attempts whose days are over and those that reached the metric in time, by arm.
  arms jsonb not null,
  decision jsonb not null,
  sentence text not null,
  primary key (experiment_id, analysis),
  foreign key (experiment_id, product_id) references experiments (id, product_id) on delete cascade
);
