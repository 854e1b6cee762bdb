create table messages (
  id bigint not null generated always as identity,
  product_id bigint not null,
  contact_id bigint not null,
  dialogue_id bigint not null,
  channel_id bigint not null,
  message text not null,
  kind text not null default 'text'::text,
  media_url text,
  side text not null,
  author text not null,
  operator text,
  status text not null,
  reason text,
  error_code text,
  created_at timestamptz(3) not null default domain_now(),
  thread_at timestamptz(3) not null default domain_now(),
  scheduled_at timestamptz(3),
  sent_at timestamptz(3),
  sent_confirmation_at timestamptz(3),
  read_at timestamptz(3),
  removed_at timestamptz(3),
  ext_id text,
  client_key text,
  prompt_id bigint,
  prompt_name text,
  prompt_version integer,
  model_vendor text,
  model_name text,
  prepared_message_id bigint,
  ping_config_id bigint,
  ping_step_number integer,
  reply_on_msg_id bigint,
  rendered_prompt text,
  schedule_enabled boolean not null default true,
  debounce_guard boolean not null default true,
  turn integer,
  part_group uuid,
  send_key uuid not null default gen_random_uuid(),
  send_key_used_at timestamptz(3),
  attempts integer not null default 0,
  retry_count integer not null default 0,
  retry_at timestamptz(3),
  claimed_by uuid,
  claimed_at timestamptz(3),
  unconfirmed_at timestamptz(3),
  origin text,
  follow_up_anchor_id bigint,
  originally_scheduled_at timestamptz(3),
  status_due_at timestamptz(3),
  recipient_not_found boolean not null default false,
  trace uuid default gen_random_uuid(),
  previous_ext_ids text[] not null default '{}'::text[],
  claimed_until timestamptz(3),
  attempt smallint not null default 1,
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  earlier_texts jsonb not null default '[]'::jsonb,
  restated_at timestamptz(3),
  refers_to_ext_id text,
  is_sign boolean not null default false,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint messages_author_check CHECK (author = ANY (ARRAY['lead'::text, 'bot'::text, 'operator'::text, 'phone'::text, 'other'::text])),
  constraint messages_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint messages_inbound_is_of_user CHECK ((side = 'user'::text) = (status = 'inbound'::text)),
  constraint messages_origin_check CHECK (origin = ANY (ARRAY['first'::text, 'ping'::text, 'hand_over'::text])),
  constraint messages_scheduled_has_time CHECK (status <> 'scheduled'::text OR scheduled_at IS NOT NULL),
  constraint messages_sending_is_claimed CHECK ((status = 'sending'::text) = (claimed_by IS NOT NULL)),
  constraint messages_side_check CHECK (side = ANY (ARRAY['user'::text, 'bot'::text])),
  constraint messages_status_check CHECK (status = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'error'::text, 'cancelled'::text, 'unconfirmed'::text, 'inbound'::text]))
);

-- monitoring: the newest messages that a channel's vendor acknowledged
CREATE INDEX messages_acknowledged ON messages USING btree (channel_id, thread_at) WHERE status = ANY (ARRAY['delivered'::text, 'read'::text, 'inbound'::text]);

-- Rule: a client's key makes one message in a dialogue
CREATE UNIQUE INDEX messages_client_key ON messages USING btree (dialogue_id, client_key) WHERE client_key IS NOT NULL;

-- outreach: a product's messages that wait for working hours
CREATE INDEX messages_deferred ON messages USING btree (product_id) WHERE status = 'scheduled'::text AND originally_scheduled_at IS NOT NULL;

-- outbox: messages that are due; monitoring counts them
CREATE INDEX messages_due ON messages USING btree (scheduled_at) WHERE status = 'scheduled'::text;

-- outcomes: count a product's messages by time and side, read from the index alone. Among 1,000,000 messages: 0.1 s instead of 0.9 s
CREATE INDEX messages_exchanged ON messages USING btree (product_id, thread_at) INCLUDE (side) WHERE removed_at IS NULL AND (status <> ALL (ARRAY['scheduled'::text, 'cancelled'::text]));

-- outbox: list delivery failures; monitoring counts them
CREATE INDEX messages_failures ON messages USING btree (id) INCLUDE (status) WHERE removed_at IS NULL AND ((status = ANY (ARRAY['error'::text, 'unconfirmed'::text])) OR status = 'scheduled'::text AND retry_at IS NOT NULL);

-- monitoring: the last error of a channel
CREATE INDEX messages_failures_channel ON messages USING btree (channel_id, id) WHERE removed_at IS NULL AND ((status = ANY (ARRAY['error'::text, 'unconfirmed'::text])) OR status = 'scheduled'::text AND retry_at IS NOT NULL);

-- Rule: a dialogue sends one message at a time; outbox: messages that an instance is sending, to be reclaimed after it died
CREATE UNIQUE INDEX messages_one_sending ON messages USING btree (dialogue_id) WHERE status = 'sending'::text;

-- outcomes: the first message of a person after a hand-over
CREATE INDEX messages_people ON messages USING btree (contact_id, attempt) WHERE author = ANY (ARRAY['operator'::text, 'phone'::text]);

-- Rule: a follow-up is sent once after its anchor message; a cancelled one is not sent again
CREATE UNIQUE INDEX messages_ping_once ON messages USING btree (dialogue_id, follow_up_anchor_id, ping_step_number) WHERE follow_up_anchor_id IS NOT NULL AND status <> 'cancelled'::text;

-- inbox: the message whose earlier attempt had this vendor id
CREATE INDEX messages_previous_ext ON messages USING gin (previous_ext_ids) WHERE previous_ext_ids <> '{}'::text[];

-- conversations: list a product's messages, without removed ones
CREATE INDEX messages_product ON messages USING btree (product_id, id) WHERE removed_at IS NULL;

-- outbox: the next message of a dialogue
CREATE INDEX messages_queue ON messages USING btree (dialogue_id, scheduled_at, id) WHERE status = ANY (ARRAY['scheduled'::text, 'unconfirmed'::text]);

-- inbox: messages whose recipient the vendor did not find, to be settled
CREATE INDEX messages_recipient_not_found ON messages USING btree (id) WHERE recipient_not_found;

-- conversations: search dialogues by the words of their messages, but for those that are scheduled or being sent. Among 100,000 messages: 40 to 230 ms instead of 1.5 to 2 s; changing a status costs 0.26 ms instead of 0.15 ms
CREATE INDEX messages_search ON messages USING gin (to_tsvector('simple'::regconfig, message)) WHERE removed_at IS NULL AND (status <> ALL (ARRAY['scheduled'::text, 'sending'::text]));

-- inbox: the message behind an echo that carries our key, when its vendor id was lost
CREATE INDEX messages_send_key ON messages USING btree (send_key) WHERE ext_id IS NULL AND (status = ANY (ARRAY['sending'::text, 'unconfirmed'::text]));

-- inbox: messages whose delivery status is due to be polled
CREATE INDEX messages_status_due ON messages USING btree (status_due_at) WHERE status_due_at IS NOT NULL;

-- conversations: the thread of a dialogue, page by page
CREATE INDEX messages_thread ON messages USING btree (dialogue_id, thread_at, id);

-- monitoring: sent messages that a channel's vendor has not acknowledged
CREATE INDEX messages_unacknowledged ON messages USING btree (channel_id, thread_at) WHERE status = 'sent'::text AND side = 'bot'::text;

-- outbox: filter a product's messages by failed or unconfirmed status
CREATE INDEX messages_unsettled ON messages USING btree (product_id, id) WHERE status = ANY (ARRAY['error'::text, 'unconfirmed'::text]);

-- Rule: a vendor's message is stored once on a channel; inbox: the message that a delivery report names
CREATE UNIQUE INDEX messages_vendor_id ON messages USING btree (channel_id, ext_id) WHERE ext_id IS NOT NULL;

-- migrations/functions/count_messages.sql
CREATE TRIGGER count_messages AFTER UPDATE ON messages REFERENCING OLD TABLE AS old_messages NEW TABLE AS new_messages FOR EACH STATEMENT EXECUTE FUNCTION count_messages();

-- migrations/functions/count_messages.sql
CREATE TRIGGER count_new_messages AFTER INSERT ON messages REFERENCING NEW TABLE AS new_messages FOR EACH STATEMENT EXECUTE FUNCTION count_messages();

-- migrations/functions/recount_removed.sql
CREATE TRIGGER recount_removed AFTER DELETE ON messages FOR EACH ROW WHEN (is_exchanged(old.side, old.kind, old.status)) EXECUTE FUNCTION recount_removed();
