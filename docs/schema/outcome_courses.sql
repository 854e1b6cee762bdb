create table outcome_courses (
  id integer not null generated always as identity,
  product_id bigint not null,
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
  steps_opted_out bigint not null,
  constraint outcome_courses_pkey PRIMARY KEY (id),
  constraint outcome_courses_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- outcomes: the course of an attempt by its values
CREATE INDEX outcome_courses_key ON outcome_courses USING btree (product_id, key);
