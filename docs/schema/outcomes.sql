create table outcomes (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  attempt smallint not null,
  is_stale boolean not null default false,
  reached integer not null default 0,
  started_at timestamptz(3),
  cost numeric not null default 0,
  channel_id bigint,
  started_by text,
  source text,
  import_id bigint,
  written_at timestamptz(3),
  answered_at timestamptz(3),
  replied_at timestamptz(3),
  language text,
  operator text,
  prepared_message_id bigint,
  text_prompt_id bigint,
  text_prompt_version integer,
  prompt_id bigint,
  prompt_version integer,
  model text,
  last_prompt_id bigint,
  last_prompt_version integer,
  ended_by text,
  outcome text,
  delivered_at timestamptz(3),
  read_at timestamptz(3),
  qualified_at timestamptz(3),
  ended_at timestamptz(3),
  opted_out_at timestamptz(3),
  handed_over_at timestamptz(3),
  first_message_id bigint,
  last_at timestamptz(3),
  last_message_id bigint,
  last_author text,
  sent integer not null default 0,
  received integer not null default 0,
  text_message_id bigint,
  answer_message_id bigint,
  last_answer_message_id bigint,
  last_model text,
  answers jsonb not null default '{}'::jsonb,
  steps integer not null default 0,
  last_step_message_id bigint,
  steps_sent bigint not null default 0,
  steps_answered bigint not null default 0,
  steps_opted_out bigint not null default 0,
  seconds_to_answer integer,
  seconds_to_reply integer,
  crm_pipeline_id bigint,
  crm_step_id bigint,
  origin_id integer,
  course_id integer,
  refusal_reason text,
  constraint outcomes_pkey PRIMARY KEY (lead_id, attempt),
  constraint outcomes_id_key UNIQUE (id),
  constraint outcomes_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE
);

-- outcomes: the times within which a product's leads answered, and were answered
CREATE INDEX outcomes_answered ON outcomes USING btree (product_id, started_at) INCLUDE (seconds_to_answer, seconds_to_reply, reached, origin_id, course_id) WHERE started_at IS NOT NULL AND (reached & 8) <> 0;

-- outcomes: the attempts that were handed over to people
CREATE INDEX outcomes_handed_over ON outcomes USING btree (product_id, started_at) INCLUDE (reached, origin_id, course_id, lead_id, attempt, handed_over_at) WHERE started_at IS NOT NULL AND (reached & 1024) <> 0;

-- outcomes: a product's attempts by time of their first message, with all that counts read
CREATE INDEX outcomes_product ON outcomes USING btree (product_id, started_at) INCLUDE (reached, origin_id, course_id, cost) WHERE started_at IS NOT NULL;

-- outcomes: the attempts that ended with a refusal or an opt-out
CREATE INDEX outcomes_refused ON outcomes USING btree (product_id, started_at) INCLUDE (reached, origin_id, course_id, refusal_reason, id) WHERE started_at IS NOT NULL AND (reached & 576) <> 0;

-- outcomes: leads whose history is to be counted
CREATE INDEX outcomes_stale ON outcomes USING btree (lead_id) WHERE is_stale;

-- migrations/functions/classify_outcome.sql
CREATE TRIGGER classify_outcome BEFORE INSERT OR UPDATE OF started_at, written_at, delivered_at, read_at, answered_at, replied_at, qualified_at, opted_out_at, handed_over_at, outcome, channel_id, started_by, source, import_id, crm_pipeline_id, crm_step_id, prepared_message_id, text_prompt_id, text_prompt_version, language, operator, prompt_id, prompt_version, model, last_prompt_id, last_prompt_version, ended_by, steps_sent, steps_answered, steps_opted_out ON outcomes FOR EACH ROW EXECUTE FUNCTION classify_outcome();
