create table dialogue_links (
  id bigint not null generated always as identity,
  dialogue_id bigint not null,
  product_id bigint not null,
  other_id bigint,
  other_product_id bigint,
  kind text not null,
  evidence text not null,
  detail text not null,
  state text not null default 'open'::text,
  decided_by text,
  decided_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  constraint dialogue_links_pkey PRIMARY KEY (id),
  constraint dialogue_links_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint dialogue_links_other_id_other_product_id_fkey FOREIGN KEY (other_id, other_product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint dialogue_links_evidence_check CHECK (evidence = ANY (ARRAY['message'::text, 'echo'::text, 'send'::text, 'status'::text, 'upgrade'::text])),
  constraint dialogue_links_kind_check CHECK (kind = ANY (ARRAY['address_moved'::text, 'same_person'::text, 'mixed_chats'::text])),
  constraint dialogue_links_of_two CHECK (dialogue_id <> other_id),
  constraint dialogue_links_other CHECK ((kind = 'mixed_chats'::text) = (other_id IS NULL)),
  constraint dialogue_links_state_check CHECK (state = ANY (ARRAY['open'::text, 'accepted'::text, 'rejected'::text]))
);

-- conversations: links of a dialogue
CREATE INDEX dialogue_links_dialogue ON dialogue_links USING btree (dialogue_id);

-- monitoring: links that wait for an operator
CREATE INDEX dialogue_links_open ON dialogue_links USING btree (id) WHERE state = 'open'::text AND kind <> 'address_moved'::text;

-- conversations: links of a dialogue
CREATE INDEX dialogue_links_other ON dialogue_links USING btree (other_id);

-- Rule: two dialogues are linked once in each way
CREATE UNIQUE INDEX dialogue_links_pair ON dialogue_links USING btree (LEAST(dialogue_id, other_id), GREATEST(dialogue_id, other_id), kind);
