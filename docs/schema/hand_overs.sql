create table hand_overs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  lead_id bigint not null,
  turn integer not null,
  reason text not null,
  detail text,
  assignee_id bigint,
  created_at timestamptz(3) not null default domain_now(),
  due_at timestamptz(3) not null,
  summary jsonb,
  summary_state text not null default 'pending'::text,
  crm_state text not null default 'pending'::text,
  crm_marker uuid not null default gen_random_uuid(),
  crm_note_id text,
  crm_task_id text,
  attempts integer not null default 0,
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  summary_attempts integer not null default 0,
  summary_retry_at timestamptz(3),
  summary_failed_at timestamptz(3),
  summary_error text,
  summary_claimed_by uuid,
  summary_claimed_until timestamptz(3),
  summary_wait_until timestamptz(3) not null default (clock_timestamp() + '00:01:00'::interval),
  note_attempted_at timestamptz(3),
  task_attempted_at timestamptz(3),
  constraint hand_overs_pkey PRIMARY KEY (id),
  constraint hand_overs_dialogue_id_turn_key UNIQUE (dialogue_id, turn),
  constraint hand_overs_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint hand_overs_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint hand_overs_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint hand_overs_crm_state_check CHECK (crm_state = ANY (ARRAY['pending'::text, 'none'::text, 'done'::text, 'failed'::text])),
  constraint hand_overs_reason_check CHECK (reason = ANY (ARRAY['qualified'::text, 'asked_for_human'::text, 'agrees_to_buy'::text, 'cannot_answer'::text, 'threatens'::text, 'robot'::text])),
  constraint hand_overs_summary_claim_ends CHECK ((summary_claimed_by IS NULL) = (summary_claimed_until IS NULL)),
  constraint hand_overs_summary_state_check CHECK (summary_state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text, 'off'::text]))
);

-- crm: hand-overs whose note or task is due
CREATE INDEX hand_overs_crm_due ON hand_overs USING btree (retry_at) WHERE crm_state = 'pending'::text;

-- crm: notes and tasks that an integration refused
CREATE INDEX hand_overs_crm_failed ON hand_overs USING btree (product_id, lead_id) WHERE crm_state = 'failed'::text;

-- leads: hand-overs that are deleted with a lead
CREATE INDEX hand_overs_lead ON hand_overs USING btree (lead_id);

-- conversations: the newest hand-over of a product, whose assignee is followed by the next one
CREATE INDEX hand_overs_product ON hand_overs USING btree (product_id, id);

-- conversations: summaries that are due
CREATE INDEX hand_overs_summary_due ON hand_overs USING btree (summary_retry_at) WHERE summary_state = 'pending'::text;
