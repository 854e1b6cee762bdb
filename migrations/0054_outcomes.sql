-- The ledger of outcomes: a row for each lead and attempt, kept by triggers on messages, events of leads and runs. Each of
-- those is stamped with the number of its attempt, so that a row is the sum of what bears its number.
alter table leads add column attempt smallint not null default 1;
alter table messages add column attempt smallint not null default 1;
alter table lead_events add column attempt smallint not null default 1;
alter table llm_runs add column attempt smallint not null default 1;

create table outcomes (
  id bigint not null generated always as identity unique,
  lead_id bigint not null,
  product_id bigint not null,
  attempt smallint not null,
  -- Whether the lead's attempts have to be numbered and counted from its history.
  is_stale boolean not null default false,
  -- What has been reached, as bits: an aggregate groups by it. What aggregates read comes first, because a column is found
  -- by way of those before it.
  reached integer not null generated always as (
    (written_at is not null)::int + (delivered_at is not null)::int * 2 + (read_at is not null)::int * 4
    + (answered_at is not null)::int * 8 + (qualified_at is not null)::int * 16
    + (outcome is not null and outcome = 'success')::int * 32 + (outcome is not null and outcome = 'refused')::int * 64
    + (outcome is not null and outcome = 'ignore')::int * 128 + (outcome is not null and outcome = 'failed')::int * 256
    + (opted_out_at is not null)::int * 512 + (handed_over_at is not null)::int * 1024) stored,
  -- Of all messages that were exchanged, in order of their times.
  started_at timestamptz(3),
  cost numeric(14, 8) not null default 0,
  channel_id bigint,
  started_by text check (started_by in ('us', 'lead')),
  -- Where the lead came from, and its import.
  source text check (source in ('import', 'crm', 'inbound', 'api')),
  import_id bigint,
  -- The funnel.
  written_at timestamptz(3),
  answered_at timestamptz(3),
  -- Our first message after the lead's first one.
  replied_at timestamptz(3),
  language text,
  operator text,
  -- What the first text was written from.
  prepared_message_id bigint,
  text_prompt_id bigint,
  text_prompt_version integer,
  -- The first and the last answer of the bot, and how many messages by each prompt version and model.
  prompt_id bigint,
  prompt_version integer,
  model text,
  last_prompt_id bigint,
  last_prompt_version integer,
  ended_by text,
  outcome text check (outcome in ('success', 'refused', 'ignore', 'failed')),
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
  answers jsonb not null default '{}',
  steps integer not null default 0,
  last_step_message_id bigint,
  -- Follow-ups as bits, the first one is 1: sent, answered before the next one, followed by an opt-out.
  steps_sent bigint not null default 0,
  steps_answered bigint not null default 0,
  steps_opted_out bigint not null default 0,
  -- From our first message to the lead's first one, and from that to our next message.
  seconds_to_answer integer generated always as (
    case when answered_at > written_at then date_part('epoch', answered_at - written_at)::integer end) stored,
  seconds_to_reply integer generated always as (
    case when replied_at > answered_at then date_part('epoch', replied_at - answered_at)::integer end) stored,
  primary key (lead_id, attempt),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
) with (fillfactor = 80);

-- What counts group and filter by is in the index, which is half as large as the table.
create index outcomes_product on outcomes (product_id, started_at) include (
  reached, cost, seconds_to_answer, seconds_to_reply, channel_id, started_by, source, import_id, language, operator, model,
  prepared_message_id, text_prompt_id, text_prompt_version, prompt_id, prompt_version, last_prompt_id, last_prompt_version,
  outcome, ended_by, steps_sent, steps_answered, steps_opted_out) where started_at is not null;
comment on index outcomes_product is 'outcomes: a product''s attempts by time of their first message, with all that counts read';
create index outcomes_stale on outcomes (lead_id) where is_stale;
comment on index outcomes_stale is 'outcomes: leads whose history is to be counted';

create table outcome_steps (
  message_id bigint primary key,
  lead_id bigint not null,
  attempt smallint not null,
  product_id bigint not null,
  ping_config_id bigint,
  step integer not null,
  sent_at timestamptz(3) not null,
  answered_at timestamptz(3),
  opted_out boolean not null default false,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index outcome_steps_outcome on outcome_steps (lead_id, attempt);
comment on index outcome_steps_outcome is 'outcomes: follow-ups of an attempt';
create index outcome_steps_product on outcome_steps (product_id, sent_at);
comment on index outcome_steps_product is 'outcomes: a product''s follow-ups by time';

-- What happened before is counted by the server, a few rows at a time.
insert into outcomes (lead_id, attempt, product_id, is_stale) select id, 1, product_id, true from leads;

-- Triggers name it, which are made before it.
create function is_exchanged(side text, kind text, status text) returns boolean language sql immutable parallel safe
  return case side when 'user' then kind <> 'system' else status in ('sent', 'delivered', 'read') end;
