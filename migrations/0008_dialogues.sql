create table dialogues (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  contact_id bigint not null,
  channel_id bigint not null references channels,
  -- The vendor's opaque id of the chat; learned from the first answer or hook where it cannot be known before.
  chat_id text,
  -- The contact's address at the time, by which a first inbound message finds the dialogue.
  address text not null,
  is_main boolean not null default true,
  last_user_msg_id bigint,
  last_user_msg_at timestamptz(3),
  last_bot_msg_id bigint,
  last_msg_created_at timestamptz(3),
  last_message text,
  skip_ping_for_msg_id bigint,
  owner text not null default 'bot' check (owner in ('bot', 'human')),
  owner_reason text,
  owner_since timestamptz(3),
  -- The turn: what the bot owes an answer to. Null due time: nothing.
  turn_due_at timestamptz(3),
  -- Rises with each message of the lead; an answer made for an older turn is void.
  turn int not null default 0,
  turn_tries int not null default 0,
  -- Real clock: pause before the next try, and when the first try failed.
  turn_retry_at timestamptz(3),
  turn_failed_at timestamptz(3),
  no_answer text,
  created_at timestamptz(3) not null default domain_now(),
  unique (id, product_id),
  foreign key (contact_id, product_id) references contacts (id, product_id) on delete cascade
);
create unique index dialogues_chat on dialogues (channel_id, chat_id);
create unique index dialogues_address on dialogues (channel_id, address);
create index dialogues_product_recent on dialogues (product_id, last_msg_created_at desc nulls last, id desc);
create index dialogues_contact on dialogues (contact_id);
create index dialogues_turn_due on dialogues (turn_due_at) where turn_due_at is not null;
create index dialogues_no_answer on dialogues (product_id, id) where no_answer is not null;

-- Messages. For what we send, the row is the outbox.
create table messages (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  contact_id bigint not null,
  dialogue_id bigint not null,
  channel_id bigint not null,
  message text not null,
  kind text not null default 'text',
  media_url text,
  side text not null check (side in ('user', 'bot')),
  author text not null check (author in ('lead', 'bot', 'operator', 'phone', 'other')),
  operator text,
  status text not null check (status in
    ('scheduled', 'sending', 'sent', 'delivered', 'read', 'error', 'cancelled', 'unconfirmed', 'inbound')),
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
  prompt_version int,
  model_vendor text,
  model_name text,
  prepared_message_id bigint,
  ping_config_id bigint,
  ping_step_number int,
  reply_on_msg_id bigint,
  rendered_prompt text,
  schedule_enabled boolean not null default true,
  debounce_guard boolean not null default true,
  -- The turn it answers; null: it answers none.
  turn int,
  -- Messages split from one text share this.
  batch uuid,
  -- The vendor's idempotency key, and when it was first used (real clock).
  send_key uuid not null default gen_random_uuid(),
  send_key_used_at timestamptz(3),
  tries int not null default 0,
  retry_count int not null default 0,
  -- Real clock: not before, after a refusal that may pass.
  retry_at timestamptz(3),
  -- Which life of which node has it in hand, since when (real clock).
  claimed_by uuid,
  claimed_at timestamptz(3),
  unconfirmed_at timestamptz(3),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  check ((side = 'user') = (status = 'inbound')),
  check ((status = 'sending') = (claimed_by is not null)),
  check (status <> 'scheduled' or scheduled_at is not null)
);
-- One at a time within a dialogue: the database refuses a second.
create unique index messages_one_sending on messages (dialogue_id) where status = 'sending';
create unique index messages_vendor_id on messages (channel_id, ext_id) where ext_id is not null;
create unique index messages_client_key on messages (dialogue_id, client_key) where client_key is not null;
create index messages_thread on messages (dialogue_id, thread_at, id);
create index messages_due on messages (scheduled_at) where status = 'scheduled';
create index messages_waiting on messages (dialogue_id, scheduled_at, id) where status in ('scheduled', 'unconfirmed');
create index messages_sending on messages (claimed_by) where status = 'sending';
create index messages_unsettled on messages (product_id, id) where status in ('error', 'unconfirmed');
create index messages_product on messages (product_id, id);
create index messages_contact on messages (contact_id, id);
create index messages_ext on messages (ext_id) where ext_id is not null;

-- What vendors told us, as stored before the 200. Also the memory of what could not be matched yet.
create table inbox (
  id bigint generated always as identity primary key,
  account_id bigint not null references vendor_accounts on delete cascade,
  channel_id bigint references channels on delete cascade,
  kind text not null check (kind in ('message', 'status', 'channel')),
  ext_id text not null,
  status text not null,
  chat_id text,
  item jsonb not null,
  received_at timestamptz(3) not null default domain_now(),
  -- new: to be worked on; held: waits for its message (or for ten seconds); done.
  state text not null default 'new' check (state in ('new', 'held', 'done')),
  hold_until timestamptz(3),
  note text,
  unique (account_id, kind, ext_id, status)
);
create index inbox_open on inbox (state, id) where state <> 'done';
create index inbox_chat_open on inbox (channel_id, chat_id) where state = 'new';
create index inbox_held on inbox (account_id, ext_id) where state = 'held';
