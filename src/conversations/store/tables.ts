import type { Selectable } from 'kysely';
import type { Row, Tables } from '../../platform/db.ts';
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

export type DialogueRow = Selectable<Tables['dialogues']>;
export type MessageRow = Selectable<Tables['messages']>;
export type InboxRow = Selectable<Tables['inbox']>;
