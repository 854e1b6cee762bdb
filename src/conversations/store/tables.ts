import type { Generated } from 'kysely';
import type { Author, MessageStatus, Owner } from '../contract.ts';
import type { NoAnswer } from '../noAnswer.ts';

interface DialogueTable {
  id: Generated<number>;
  product_id: number;
  contact_id: number;
  channel_id: number;
  chat_id: string | null;
  address: string;
  is_main: Generated<boolean>;
  last_user_msg_id: Generated<number | null>;
  last_user_msg_at: Generated<string | null>;
  last_bot_msg_id: Generated<number | null>;
  last_msg_created_at: Generated<string | null>;
  last_message: Generated<string | null>;
  skip_ping_for_msg_id: Generated<number | null>;
  owner: Generated<Owner>;
  owner_reason: Generated<string | null>;
  owner_since: Generated<string | null>;
  turn_due_at: Generated<string | null>;
  turn: Generated<number>;
  turn_attempts: Generated<number>;
  turn_retry_at: Generated<string | null>;
  turn_failed_at: Generated<string | null>;
  claimed_by: Generated<string | null>;
  claimed_at: Generated<string | null>;
  no_answer: Generated<NoAnswer['code'] | null>;
  no_answer_detail: Generated<string | null>;
  created_at: Generated<string>;
  classified_turn: Generated<number>;
  revision: Generated<number>;
}

interface MessageTable {
  id: Generated<number>;
  product_id: number;
  contact_id: number;
  dialogue_id: number;
  channel_id: number;
  message: string;
  kind: Generated<string>;
  media_url: Generated<string | null>;
  side: 'user' | 'bot';
  author: Author;
  operator: Generated<string | null>;
  status: MessageStatus;
  reason: Generated<string | null>;
  error_code: Generated<string | null>;
  created_at: Generated<string>;
  thread_at: Generated<string>;
  scheduled_at: Generated<string | null>;
  sent_at: Generated<string | null>;
  sent_confirmation_at: Generated<string | null>;
  read_at: Generated<string | null>;
  removed_at: Generated<string | null>;
  ext_id: Generated<string | null>;
  previous_ext_ids: Generated<string[]>;
  client_key: Generated<string | null>;
  prompt_id: Generated<number | null>;
  prompt_name: Generated<string | null>;
  prompt_version: Generated<number | null>;
  model_vendor: Generated<string | null>;
  model_name: Generated<string | null>;
  prepared_message_id: Generated<number | null>;
  ping_config_id: Generated<number | null>;
  ping_step_number: Generated<number | null>;
  origin: Generated<'first' | 'ping' | null>;
  follow_up_anchor_id: Generated<number | null>;
  originally_scheduled_at: Generated<string | null>;
  reply_on_msg_id: Generated<number | null>;
  rendered_prompt: Generated<string | null>;
  schedule_enabled: Generated<boolean>;
  debounce_guard: Generated<boolean>;
  turn: Generated<number | null>;
  part_group: Generated<string | null>;
  send_key: Generated<string>;
  send_key_used_at: Generated<string | null>;
  attempts: Generated<number>;
  retry_count: Generated<number>;
  retry_at: Generated<string | null>;
  claimed_by: Generated<string | null>;
  claimed_at: Generated<string | null>;
  unconfirmed_at: Generated<string | null>;
  status_due_at: Generated<string | null>;
  recipient_not_found: Generated<boolean>;
  trace: Generated<string | null>;
}

interface InboxTable {
  id: Generated<number>;
  account_id: number;
  channel_id: number | null;
  kind: 'message' | 'status' | 'channel';
  ext_id: string;
  status: string;
  chat_id: string | null;
  item: unknown;
  received_at: Generated<string>;
  state: Generated<'new' | 'parked' | 'failed' | 'done'>;
  parked_until: string | null;
  note: string | null;
  attempts: Generated<number>;
  retry_at: Generated<string | null>;
  trace: Generated<string | null>;
}

declare module '../../platform/db.ts' {
  interface Tables {
    dialogues: DialogueTable;
    messages: MessageTable;
    inbox: InboxTable;
  }
}

export type DialogueRow = {
  [K in keyof DialogueTable]: DialogueTable[K] extends Generated<infer T> ? T : DialogueTable[K];
};
export type MessageRow = {
  [K in keyof MessageTable]: MessageTable[K] extends Generated<infer T> ? T : MessageTable[K];
};
export type InboxRow = { [K in keyof InboxTable]: InboxTable[K] extends Generated<infer T> ? T : InboxTable[K] };
