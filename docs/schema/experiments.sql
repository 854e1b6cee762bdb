create table experiments (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  kind text not null,
  metric text not null,
  days integer not null,
  part double precision not null,
  base_rate double precision not null,
  difference double precision not null,
  guards jsonb not null,
  arms jsonb not null,
  analyses integer not null,
  per_arm integer not null,
  state text not null default 'draft'::text,
  arm_states jsonb not null default '[]'::jsonb,
  started_at timestamptz(3),
  started_by text,
  stopped_at timestamptz(3),
  stopped_by text,
  ended_by text,
  conclusion text,
  applied_arm integer,
  applied_at timestamptz(3),
  applied_by text,
  applied_before jsonb,
  guard_look integer not null default 0,
  check_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint experiments_pkey PRIMARY KEY (id),
  constraint experiments_id_product_id_key UNIQUE (id, product_id),
  constraint experiments_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint experiments_checked CHECK ((state = 'running'::text) = (check_at IS NOT NULL)),
  constraint experiments_days_check CHECK (days > 0),
  constraint experiments_ended_by_check CHECK (ended_by = ANY (ARRAY['decided'::text, 'operator'::text, 'guard'::text])),
  constraint experiments_kind_check CHECK (kind = ANY (ARRAY['first_text'::text, 'prompt'::text, 'model'::text])),
  constraint experiments_metric_check CHECK (metric = ANY (ARRAY['answered'::text, 'qualified'::text, 'success'::text])),
  constraint experiments_name_check CHECK (btrim(name) <> ''::text),
  constraint experiments_part_check CHECK (part > 0::double precision AND part <= 1::double precision),
  constraint experiments_started CHECK ((state = 'draft'::text) = (started_at IS NULL)),
  constraint experiments_state_check CHECK (state = ANY (ARRAY['draft'::text, 'running'::text, 'stopped'::text])),
  constraint experiments_stopped CHECK ((state = 'stopped'::text) = (stopped_at IS NOT NULL))
);

-- outcomes: experiments that are to be looked at
CREATE INDEX experiments_check ON experiments USING btree (check_at) WHERE check_at IS NOT NULL;

-- outcomes: list a product's experiments
CREATE INDEX experiments_product ON experiments USING btree (product_id, id);

-- Rule: one experiment of a kind runs on a product; conversations, outreach: find those that run
CREATE UNIQUE INDEX experiments_running ON experiments USING btree (product_id, kind) WHERE state = 'running'::text;

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON experiments FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.kind IS DISTINCT FROM new.kind OR old.metric IS DISTINCT FROM new.metric OR old.days IS DISTINCT FROM new.days OR old.part IS DISTINCT FROM new.part OR old.base_rate IS DISTINCT FROM new.base_rate OR old.difference IS DISTINCT FROM new.difference OR old.guards IS DISTINCT FROM new.guards OR old.arms IS DISTINCT FROM new.arms OR old.state IS DISTINCT FROM new.state OR old.arm_states IS DISTINCT FROM new.arm_states OR old.applied_at IS DISTINCT FROM new.applied_at) EXECUTE FUNCTION increment_revision();
