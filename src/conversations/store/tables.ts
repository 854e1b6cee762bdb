import type { Generated } from 'kysely';
import type { Row } from '../../platform/db.ts';
import type { Author, MessageStatus, Owner } from '../contract.ts';
import type { NoAnswer } from '../noAnswer.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    dialogues: Row<'dialogues', { owner: Owner; no_answer: NoAnswer['code'] }>;
    messages: Row<
      'messages',
      { side: 'user' | 'bot'; author: Author; status: MessageStatus; origin: 'first' | 'ping' }
    >;
    inbox: Row<'inbox', { kind: 'message' | 'status' | 'channel'; state: 'new' | 'parked' | 'failed' | 'done' }>;
  }
}

export type DialogueRow = {
  [K in keyof DialogueTable]: DialogueTable[K] extends Generated<infer T> ? T : DialogueTable[K];
};
export type MessageRow = {
  [K in keyof MessageTable]: MessageTable[K] extends Generated<infer T> ? T : MessageTable[K];
};
export type InboxRow = { [K in keyof InboxTable]: InboxTable[K] extends Generated<infer T> ? T : InboxTable[K] };
