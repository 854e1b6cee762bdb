/** The rows of the engine in memory: dialogues and our messages, whose states only the rules change. Instants are ms since 1970 UTC. */
import type { Author } from '../../conversations/contract.ts';
import type { RecentMessage } from '../../conversations/robots.ts';
import type { Dialogue } from '../../engine/rules/dialogue.ts';
import type { Delivery } from '../../engine/rules/message.ts';
import type { DialogueFacts } from '../facts.ts';
import type { Reason } from '../reason.ts';

export type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** A message of ours. */
export interface MemoryMessage {
  readonly id: number;
  readonly leadId: number;
  /** Null for a message that existed before; outreach does not say by which contact and channel it goes. */
  readonly contactId: number | null;
  readonly channelId: number | null;
  readonly author: Author;
  readonly text: string;
  /** The lead's message that a follow-up refers to; 0: none. */
  readonly anchor: number | null;
  /** Why the lead was not written to before. */
  readonly planned: Reason;
  state: Delivery;
}

export interface MemoryDialogue {
  readonly contactId: number | null;
  readonly channelId: number | null;
  readonly state: Dialogue;
  /** Our messages that have not left, in the order of their ids. */
  readonly messages: MemoryMessage[];
  /** What is left to know of those that have. */
  readonly thread: Thread;
  /** The newest messages that the lead has written, or has or may have from us, oldest first. */
  readonly recent: RecentMessage[];
  /** The last message of the lead that asks for an answer. */
  asked: { readonly id: number; readonly at: number } | null;
  /** What the plan reads of it. */
  readonly facts: Changing<DialogueFacts>;
}

export interface Place {
  readonly id: number;
  readonly at: number;
}

/** The highest follow-up for a message of the lead. `at`: when its last part left; null: it has not. */
export interface Step {
  readonly anchor: number;
  readonly number: number;
  readonly group: string | null;
  readonly at: number | null;
}

/** What is left to know of our messages that have left. */
export interface Thread {
  last: DialogueFacts['last'];
  step: Step;
  /** When a message of the lead was answered last. */
  answer: { readonly to: number; readonly at: number | null };
  /** Our newest message that is no sentence of a hand-over. */
  replied: Place | null;
  /** The text of which the newest message is a part. */
  group: string | null;
  hasAny: boolean;
}
