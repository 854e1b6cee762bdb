-- Where attempts came from and what they went through, each combination once. An attempt refers to them by two numbers:
-- the index that figures are read from is a third as large as with the values themselves.

create table outcome_origins (
  id integer not null generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  -- The values as one text, by which the combination is found. Two transactions that meet a new one at a time both store
  -- it: waiting for each other would delay messages, and figures are grouped by the values.
  key text not null,
  channel_id bigint,
  started_by text,
  source text,
  import_id bigint,
  crm_pipeline_id bigint,
  crm_step_id bigint,
  prepared_message_id bigint,
  text_prompt_id bigint,
  text_prompt_version integer
);
create index outcome_origins_key on outcome_origins (product_id, key);
comment on index outcome_origins_key is 'outcomes: the origin of an attempt by its values';

create table outcome_courses (
  id integer not null generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  key text not null,
  language text,
  operator text,
  prompt_id bigint,
  prompt_version integer,
  model text,
  last_prompt_id bigint,
  last_prompt_version integer,
  outcome text,
  ended_by text,
  steps_sent bigint not null,
  steps_answered bigint not null,
  steps_opted_out bigint not null
);
create index outcome_courses_key on outcome_courses (product_id, key);
comment on index outcome_courses_key is 'outcomes: the course of an attempt by its values';

-- No foreign keys: a combination is never removed while its product exists, and a reference would lock its row.
alter table outcomes add column origin_id integer;
alter table outcomes add column course_id integer;

-- The keys of the rows that are counted already are made when their history is counted again.
update outcomes set is_stale = true where started_at is not null;

drop index outcomes_product;
create index outcomes_product on outcomes (product_id, started_at) include (reached, origin_id, course_id, cost)
  where started_at is not null;
comment on index outcomes_product is 'outcomes: a product''s attempts by time of their first message, with all that counts read';
create index outcomes_answered on outcomes (product_id, started_at)
  include (seconds_to_answer, seconds_to_reply, reached, origin_id, course_id) where started_at is not null and reached & 8 <> 0;
comment on index outcomes_answered is 'outcomes: the times within which a product''s leads answered, and were answered';
