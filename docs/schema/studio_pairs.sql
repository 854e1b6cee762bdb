create table studio_pairs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  run_id bigint,
  dialogue_id bigint not null,
  lead_id bigint not null,
  message_id bigint not null,
  history jsonb not null,
  first text not null,
  second text not null,
  is_candidate_first boolean not null,
  judge text not null,
  judged_order text not null,
  judged_reverse text not null,
  judged text not null,
  label text,
  labelled_by text,
  labelled_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  constraint studio_pairs_pkey PRIMARY KEY (id),
  constraint studio_pairs_run_id_message_id_key UNIQUE (run_id, message_id),
  constraint studio_pairs_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint studio_pairs_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint studio_pairs_run_id_product_id_fkey FOREIGN KEY (run_id, product_id) REFERENCES studio_runs(id, product_id) ON DELETE SET NULL (run_id),
  constraint studio_pairs_judged_check CHECK (judged = ANY (ARRAY['first'::text, 'second'::text, 'tie'::text])),
  constraint studio_pairs_judged_order_check CHECK (judged_order = ANY (ARRAY['first'::text, 'second'::text, 'tie'::text])),
  constraint studio_pairs_judged_reverse_check CHECK (judged_reverse = ANY (ARRAY['first'::text, 'second'::text, 'tie'::text])),
  constraint studio_pairs_label CHECK (num_nulls(label, labelled_by, labelled_at) = ANY (ARRAY[0, 3])),
  constraint studio_pairs_label_check CHECK (label = ANY (ARRAY['first'::text, 'second'::text, 'tie'::text]))
);

-- conversations: pairs that are deleted with a dialogue
CREATE INDEX studio_pairs_dialogue ON studio_pairs USING btree (dialogue_id);

-- leads: count the pairs of a lead, and delete them with it
CREATE INDEX studio_pairs_lead ON studio_pairs USING btree (lead_id);

-- studio: pairs to label, and the calibration of a judge
CREATE INDEX studio_pairs_product ON studio_pairs USING btree (product_id, judge, id);
