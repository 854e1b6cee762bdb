create table dialogues (
  id bigint not null generated always as identity,
  product_id bigint not null,
  contact_id bigint not null,
  channel_id bigint not null,
  chat_id text,
  address text not null,
  is_main boolean not null default true,
  last_user_msg_id bigint,
  last_user_msg_at timestamptz(3),
  last_bot_msg_id bigint,
  last_msg_created_at timestamptz(3),
  last_message text,
  skip_ping_for_msg_id bigint,
  owner text not null default 'bot'::text,
  owner_reason text,
  owner_since timestamptz(3),
  turn_due_at timestamptz(3),
  turn integer not null default 0,
  turn_attempts integer not null default 0,
  turn_retry_at timestamptz(3),
  turn_failed_at timestamptz(3),
  no_answer text,
  created_at timestamptz(3) not null default domain_now(),
  claimed_by uuid,
  classified_turn integer not null default 0,
  revision integer not null default 1,
  no_answer_detail text,
  owner_reason_detail text,
  claimed_until timestamptz(3),
  waiting_since timestamptz(3),
  hand_over_open boolean not null default false,
  failed_since timestamptz(3),
  unconfirmed_since timestamptz(3),
  assignee_id bigint,
  snoozed_until timestamptz(3),
  snoozed_until_reply boolean not null default false,
  done_at timestamptz(3),
  human_at timestamptz(3),
  return_hours integer,
  may_opt_out_since timestamptz(3),
  attention text generated always as (dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since)) stored,
  attention_since timestamptz(3) generated always as (dialogue_attention_since(dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since), owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since, may_opt_out_since)) stored,
  inbox_state text not null generated always as (CASE WHEN ((snoozed_until IS NOT NULL) OR snoozed_until_reply) THEN 'snoozed'::text WHEN (dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since) IS NOT NULL) THEN 'needs_human'::text WHEN (done_at IS NOT NULL) THEN 'done'::text ELSE owner END) stored,
  inbox_at timestamptz(3) not null generated always as (CASE WHEN ((snoozed_until IS NOT NULL) OR snoozed_until_reply) THEN COALESCE(snoozed_until, last_msg_created_at, created_at) ELSE COALESCE(dialogue_attention_since(dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since), owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since, may_opt_out_since), done_at, last_msg_created_at, created_at) END) stored,
  quiet_reason text,
  closed_msg_id bigint,
  closed_at timestamptz(3),
  done_needs jsonb,
  constraint dialogues_pkey PRIMARY KEY (id),
  constraint dialogues_id_product_id_key UNIQUE (id, product_id),
  constraint dialogues_assignee_id_fkey FOREIGN KEY (assignee_id) REFERENCES operators(id) ON DELETE SET NULL,
  constraint dialogues_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint dialogues_contact_id_product_id_fkey FOREIGN KEY (contact_id, product_id) REFERENCES contacts(id, product_id) ON DELETE CASCADE,
  constraint dialogues_claim_ends CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  constraint dialogues_closed CHECK ((closed_msg_id IS NULL) = (closed_at IS NULL)),
  constraint dialogues_no_answer_check CHECK (no_answer = ANY (ARRAY['no_prompt'::text, 'template'::text, 'budget'::text, 'model'::text, 'inactive'::text, 'opted_out'::text, 'product_off'::text, 'stage'::text, 'late'::text, 'call'::text, 'order'::text, 'payment'::text, 'unreadable'::text])),
  constraint dialogues_owner_check CHECK (owner = ANY (ARRAY['bot'::text, 'human'::text])),
  constraint dialogues_owner_reason_check CHECK (owner_reason = ANY (ARRAY['operator'::text, 'phone'::text, 'qualified'::text, 'writes_again'::text, 'crm_step'::text, 'crm_deleted'::text, 'asked_for_human'::text, 'agrees_to_buy'::text, 'cannot_answer'::text, 'threatens'::text, 'robot'::text])),
  constraint dialogues_quiet_reason_check CHECK (quiet_reason = ANY (ARRAY['closing'::text, 'reaction'::text, 'deleted'::text])),
  constraint dialogues_return_hours_check CHECK (return_hours >= 0 AND return_hours <= 8760)
);

-- Rule: of the dialogues with an address, one at most waits for its chat
CREATE UNIQUE INDEX dialogues_address_without_chat ON dialogues USING btree (channel_id, address) WHERE chat_id IS NULL;

-- access: dialogues of an operator who is deleted
CREATE INDEX dialogues_assignee ON dialogues USING btree (assignee_id) WHERE assignee_id IS NOT NULL;

-- channels: products and companies that have dialogues on a channel
CREATE INDEX dialogues_channel_product ON dialogues USING btree (channel_id, product_id);

-- Rule: a vendor's chat has one dialogue on a channel; conversations: find it for an inbound message
CREATE UNIQUE INDEX dialogues_chat ON dialogues USING btree (channel_id, chat_id);

-- leads: dialogues of a contact; conversations: its messages; outreach: whether a lead has a conversation
CREATE INDEX dialogues_contact ON dialogues USING btree (contact_id);

-- desk: the views of the inbox, page by page
CREATE INDEX dialogues_inbox ON dialogues USING btree (product_id, inbox_state, COALESCE(assignee_id, 0::bigint), inbox_at, id);

-- conversations: a product's dialogues without an answer; monitoring counts them
CREATE INDEX dialogues_no_answer ON dialogues USING btree (product_id, id) WHERE no_answer IS NOT NULL;

-- conversations: find the dialogue of a person; outreach: whether somebody else writes with them
CREATE INDEX dialogues_person ON dialogues USING btree (channel_id, person_key(address));

-- conversations: list a product's dialogues, the most recent first
CREATE INDEX dialogues_product_recent ON dialogues USING btree (product_id, last_msg_created_at DESC NULLS LAST, id DESC);

-- desk: dialogues that return to the bot after the time of their product
CREATE INDEX dialogues_return ON dialogues USING btree (product_id, human_at) WHERE owner = 'human'::text AND return_hours IS NULL;

-- desk: dialogues that return to the bot after a time of their own
CREATE INDEX dialogues_return_own ON dialogues USING btree (human_at) WHERE owner = 'human'::text AND return_hours > 0;

-- desk: dialogues whose snooze ends
CREATE INDEX dialogues_snoozed ON dialogues USING btree (snoozed_until) WHERE snoozed_until IS NOT NULL;

-- conversations: turns whose answer is due
CREATE INDEX dialogues_turn_due ON dialogues USING btree (turn_due_at) WHERE turn_due_at IS NOT NULL;

-- conversations: dialogues that fell silent with a turn that is not classified
CREATE INDEX dialogues_unclassified ON dialogues USING btree (product_id, last_user_msg_at) WHERE turn > classified_turn;

-- migrations/functions/count_inbox.sql
CREATE TRIGGER count_inbox AFTER UPDATE ON dialogues FOR EACH ROW WHEN (old.inbox_state <> new.inbox_state OR old.assignee_id IS DISTINCT FROM new.assignee_id) EXECUTE FUNCTION count_inbox();

-- migrations/functions/count_inbox.sql
CREATE TRIGGER count_inbox_new AFTER INSERT ON dialogues REFERENCING NEW TABLE AS new_dialogues FOR EACH STATEMENT EXECUTE FUNCTION count_inbox();

-- migrations/functions/count_inbox.sql
CREATE TRIGGER count_inbox_removed AFTER DELETE ON dialogues FOR EACH ROW EXECUTE FUNCTION count_inbox();

-- migrations/functions/notify_inbox.sql
CREATE TRIGGER notify_inbox AFTER UPDATE ON dialogues FOR EACH ROW WHEN ((new.inbox_state <> 'bot'::text OR old.inbox_state <> 'bot'::text) AND (old.inbox_state <> new.inbox_state OR old.assignee_id IS DISTINCT FROM new.assignee_id OR old.attention IS DISTINCT FROM new.attention OR old.attention_since IS DISTINCT FROM new.attention_since OR old.snoozed_until IS DISTINCT FROM new.snoozed_until OR old.last_msg_created_at IS DISTINCT FROM new.last_msg_created_at)) EXECUTE FUNCTION notify_inbox();

-- migrations/functions/notify_inbox.sql
CREATE TRIGGER notify_inbox_removed AFTER DELETE ON dialogues FOR EACH ROW WHEN (old.inbox_state <> 'bot'::text) EXECUTE FUNCTION notify_inbox();

-- migrations/functions/record_chat.sql
CREATE TRIGGER record_chat AFTER INSERT ON dialogues FOR EACH ROW WHEN (new.chat_id IS NOT NULL) EXECUTE FUNCTION record_chat();

-- migrations/functions/record_chat.sql
CREATE TRIGGER record_chat_changed AFTER UPDATE OF chat_id ON dialogues FOR EACH ROW WHEN (new.chat_id IS NOT NULL AND old.chat_id IS DISTINCT FROM new.chat_id) EXECUTE FUNCTION record_chat();

-- migrations/functions/recount_removed.sql
CREATE TRIGGER recount_removed AFTER DELETE ON dialogues FOR EACH ROW EXECUTE FUNCTION recount_removed();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON dialogues FOR EACH ROW WHEN (old.chat_id IS DISTINCT FROM new.chat_id OR old.skip_ping_for_msg_id IS DISTINCT FROM new.skip_ping_for_msg_id OR old.is_main IS DISTINCT FROM new.is_main OR old.owner IS DISTINCT FROM new.owner) EXECUTE FUNCTION increment_revision();

-- migrations/functions/track_alert.sql
CREATE TRIGGER track_alert AFTER UPDATE ON dialogues FOR EACH ROW WHEN ((old.inbox_state = 'needs_human'::text OR new.inbox_state = 'needs_human'::text) AND (old.inbox_state <> new.inbox_state OR old.assignee_id IS DISTINCT FROM new.assignee_id)) EXECUTE FUNCTION track_alert();

-- migrations/functions/track_alert.sql
CREATE TRIGGER track_alert_new AFTER INSERT ON dialogues FOR EACH ROW WHEN (new.inbox_state = 'needs_human'::text) EXECUTE FUNCTION track_alert();

-- migrations/functions/track_alert.sql
CREATE TRIGGER track_alert_removed AFTER DELETE ON dialogues FOR EACH ROW WHEN (old.inbox_state = 'needs_human'::text) EXECUTE FUNCTION track_alert();
