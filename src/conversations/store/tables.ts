import type { Selectable } from 'kysely';
import { type NotPerson, notPersonReasons } from '../../channels/chats.ts';
import type { HookKind } from '../../channels/driver.ts';
import type { OwnerReasonCode } from '../../leads/lead.ts';
import type { Row, Tables } from '../../platform/db.ts';
import type { Author, MessageStatus, Origin, Owner } from '../contract.ts';
import type { QuietReason } from '../inboundMeaning.ts';
import type { NoAnswer } from '../noAnswer.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    dialogues: Row<
      'dialogues',
      { owner: Owner; owner_reason: OwnerReasonCode; no_answer: NoAnswer['code']; quiet_reason: QuietReason }
    >;
    dialogue_chats: Row<'dialogue_chats'>;
    dialogue_links: Row<
      'dialogue_links',
      { kind: 'address_moved' | 'same_person' | 'mixed_chats'; state: 'open' | 'accepted' | 'rejected' }
    >;
    messages: Row<'messages', { side: 'user' | 'bot'; author: Author; status: MessageStatus; origin: Origin }>;
    inbox: Row<'inbox', { kind: HookKind; state: 'new' | 'parked' | 'failed' | 'done'; note: ItemNote }>;
  }
}

/** What became of an inbox item, or what it waits for. `note_detail`: the id of its message, or the error. */
export type ItemNote =
  | 'message'
  | 'earlier_attempt'
  | 'error'
  | 'awaits_send'
  | 'awaits_message'
  | 'account_polled'
  | 'channel_state'
  | 'channel_deleted'
  | 'no_chat'
  | 'no_text'
  | 'no_product'
  | NotPerson
  | 'duplicate'
  | 'system_notice'
  | 'unknown_recipient'
  | 'phone'
  | 'other_system'
  | 'other_person'
  | 'overtaken';

/** Notes of what others have written that became no message of a lead: operators can look at it. */
export const ignoredNotes = [
  ...notPersonReasons,
  'no_chat',
  'no_product',
  'no_text',
] as const satisfies readonly ItemNote[];

export type DialogueRow = Selectable<Tables['dialogues']>;
export type MessageRow = Selectable<Tables['messages']>;
export type InboxRow = Selectable<Tables['inbox']>;
