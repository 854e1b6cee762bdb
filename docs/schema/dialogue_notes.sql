create table dialogue_notes (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  operator text not null,
  text text not null,
  created_at timestamptz(3) not null default domain_now(),
  constraint dialogue_notes_pkey PRIMARY KEY (id),
  constraint dialogue_notes_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint dialogue_notes_text_check CHECK (btrim(text) <> ''::text)
);

-- desk: the notes of a dialogue; delete them with it
CREATE INDEX dialogue_notes_dialogue ON dialogue_notes USING btree (dialogue_id, id);
