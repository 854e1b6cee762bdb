create table classifications (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  turn integer not null,
  state text not null default 'open'::text,
  note text,
  due_at timestamptz(3) not null default domain_now(),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  failed_at timestamptz(3),
  claimed_by uuid,
  created_at timestamptz(3) not null default domain_now(),
  settled_at timestamptz(3),
  claimed_until timestamptz(3),
  constraint classifications_pkey PRIMARY KEY (id),
  constraint classifications_dialogue_id_turn_key UNIQUE (dialogue_id, turn),
  constraint classifications_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint classifications_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint classifications_state_check CHECK (state = ANY (ARRAY['open'::text, 'done'::text, 'void'::text, 'failed'::text]))
);

-- conversations: turns whose classification is due
CREATE INDEX classifications_due ON classifications USING btree (due_at) WHERE state = 'open'::text;

-- conversations: a product's turns that could not be classified; monitoring counts them
CREATE INDEX classifications_failed ON classifications USING btree (product_id, dialogue_id, turn) WHERE state = 'failed'::text;
