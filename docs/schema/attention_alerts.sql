create table attention_alerts (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint,
  assignee_id bigint,
  started_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  planned_at timestamptz(3),
  notice jsonb,
  notice_key text,
  constraint attention_alerts_pkey PRIMARY KEY (id),
  constraint attention_alerts_about CHECK (num_nonnulls(dialogue_id, notice) = 1 AND (notice IS NULL) = (notice_key IS NULL))
);

-- desk: alerts that ended long ago
CREATE INDEX attention_alerts_ended ON attention_alerts USING btree (ended_at) WHERE ended_at IS NOT NULL;

-- Rule: one alert for each notice; desk: end it, find old ones
CREATE UNIQUE INDEX attention_alerts_notice ON attention_alerts USING btree (notice_key) WHERE notice_key IS NOT NULL;

-- Rule: one alert for each wait; desk: the open alert of a dialogue
CREATE UNIQUE INDEX attention_alerts_open ON attention_alerts USING btree (dialogue_id) WHERE ended_at IS NULL;

-- desk: the open alerts of products, newest first
CREATE INDEX attention_alerts_open_product ON attention_alerts USING btree (product_id, id) WHERE ended_at IS NULL;

-- desk: alerts that pushes are to be planned for
CREATE INDEX attention_alerts_unplanned ON attention_alerts USING btree (id) WHERE planned_at IS NULL;
