create table dialogue_chats (
  channel_id bigint not null,
  chat_id text not null,
  dialogue_id bigint not null,
  product_id bigint not null,
  created_at timestamptz(3) not null default domain_now(),
  constraint dialogue_chats_pkey PRIMARY KEY (channel_id, chat_id),
  constraint dialogue_chats_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint dialogue_chats_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE
);

-- conversations: every chat id of a dialogue
CREATE INDEX dialogue_chats_dialogue ON dialogue_chats USING btree (dialogue_id);
