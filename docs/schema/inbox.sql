create table inbox (
  id bigint not null generated always as identity,
  account_id bigint not null,
  channel_id bigint,
  kind text not null,
  ext_id text not null,
  status text not null,
  chat_id text,
  item jsonb not null,
  received_at timestamptz(3) not null default domain_now(),
  state text not null default 'new'::text,
  parked_until timestamptz(3),
  note text,
  trace uuid default gen_random_uuid(),
  attempts integer not null default 0,
  retry_at timestamptz(3),
  note_detail text,
  ignored_at timestamptz(3),
  constraint inbox_pkey PRIMARY KEY (id),
  constraint inbox_account_id_kind_ext_id_status_key UNIQUE (account_id, kind, ext_id, status),
  constraint inbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id) ON DELETE CASCADE,
  constraint inbox_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint inbox_kind_check CHECK (kind = ANY (ARRAY['message'::text, 'status'::text, 'channel'::text, 'edit'::text, 'deletion'::text])),
  constraint inbox_state_check CHECK (state = ANY (ARRAY['new'::text, 'parked'::text, 'failed'::text, 'done'::text]))
);

-- inbox: whether an earlier item of the same chat still waits
CREATE INDEX inbox_chat_open ON inbox USING btree (channel_id, chat_id) WHERE state = 'new'::text;

-- inbox: list what was ignored on a channel, the newest first
CREATE INDEX inbox_ignored ON inbox USING btree (channel_id, id) WHERE ignored_at IS NOT NULL;

-- inbox: items to process, in order of arrival; monitoring counts them
CREATE INDEX inbox_open ON inbox USING btree (state, id) WHERE state <> 'done'::text;

-- inbox: delivery reports that wait for a message with this vendor id
CREATE INDEX inbox_parked ON inbox USING btree (account_id, ext_id) WHERE state = 'parked'::text;
