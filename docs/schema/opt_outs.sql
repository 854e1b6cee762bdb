create table opt_outs (
  id bigint not null generated always as identity,
  company_id bigint not null,
  state text not null,
  source text not null,
  since timestamptz(3) not null default domain_now(),
  product_id bigint not null,
  lead_id bigint,
  dialogue_id bigint,
  message_id bigint,
  operator text,
  decide_by timestamptz(3),
  asked_at timestamptz(3),
  ended_at timestamptz(3),
  ended_as text,
  ended_by text,
  constraint opt_outs_pkey PRIMARY KEY (id),
  constraint opt_outs_id_company_id_key UNIQUE (id, company_id),
  constraint opt_outs_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint opt_outs_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE SET NULL (dialogue_id),
  constraint opt_outs_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE SET NULL (lead_id),
  constraint opt_outs_decision CHECK ((decide_by IS NULL) = (state = 'certain'::text)),
  constraint opt_outs_end CHECK ((ended_at IS NULL) = (ended_as IS NULL)),
  constraint opt_outs_ended_as_check CHECK (ended_as = ANY (ARRAY['lifted'::text, 'certain'::text, 'kept'::text])),
  constraint opt_outs_source_check CHECK (source = ANY (ARRAY['words'::text, 'model'::text, 'detection'::text, 'promise'::text, 'operator'::text, 'upgrade'::text])),
  constraint opt_outs_state_check CHECK (state = ANY (ARRAY['doubtful'::text, 'certain'::text]))
);

-- leads: whether a company has open wishes; companies: delete it
CREATE INDEX opt_outs_company ON opt_outs USING btree (company_id) WHERE ended_at IS NULL;

-- conversations: open doubts of a dialogue that the bot answers; conversations: delete it
CREATE INDEX opt_outs_dialogue ON opt_outs USING btree (dialogue_id) WHERE dialogue_id IS NOT NULL;

-- leads: the wish that came from a lead; leads: delete it
CREATE INDEX opt_outs_lead ON opt_outs USING btree (lead_id) WHERE lead_id IS NOT NULL;

-- conversations: doubts that people are to be asked about
CREATE INDEX opt_outs_undecided ON opt_outs USING btree (decide_by) WHERE ended_at IS NULL AND asked_at IS NULL AND decide_by IS NOT NULL;
