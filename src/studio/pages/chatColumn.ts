/** The state of one playground conversation: its model, its messages, and the handle to send to it. */
import { createRef, type RefObject } from 'react';
import type { LlmVendor } from '../../products/contract.ts';
import type { SocketState } from '../../ui/chatSocket.ts';
import type { Chunk } from '../playgroundContract.ts';

/** Most columns shown side by side. */
export const MAX_COLUMNS = 3;

export interface ModelChoice {
  readonly vendor: LlmVendor;
  /** Null if not chosen yet. */
  readonly model: string | null;
  readonly temperature: number;
}

/** Actions of a column that the page can call. */
export interface ColumnHandle {
  /** Sends to the model; returns whether it was sent. */
  ask: (content: string, frame: Record<string, unknown>) => boolean;
  /** Like `ask`, but drops this column's messages: asks on the imported conversation alone. */
  askAgain: (content: string, frame: Record<string, unknown>) => boolean;
  stop: () => void;
  clear: () => void;
}

export interface ColumnStatus {
  readonly state: SocketState;
  readonly pending: boolean;
  /** Whether nothing was said yet. */
  readonly isEmpty: boolean;
}

/** A turn as the model gets it. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface ColumnMessage {
  readonly from: 'operator' | 'model';
  readonly text: string;
  readonly usage: Chunk['usage'] | null;
  readonly failed: boolean;
}

export interface ChatColumnState {
  readonly id: string;
  readonly choice: ModelChoice;
  readonly handle: RefObject<ColumnHandle | null>;
}

export function createColumn(choice: ModelChoice): ChatColumnState {
  return { id: crypto.randomUUID(), choice, handle: createRef<ColumnHandle>() };
}

/** Return the turn of a message; none for a failed or empty one. */
export function toTurn({ from, text, failed }: ColumnMessage): ChatTurn[] {
  return failed || text === '' ? [] : [{ role: from === 'operator' ? 'user' : 'assistant', content: text }];
}

/** Append a streamed chunk to the conversation. */
export function appendChunk(
  previous: readonly ColumnMessage[],
  { content, is_error, is_finished, usage }: Chunk,
): readonly ColumnMessage[] {
  const last = previous.at(-1);
  if (is_error) return [...previous, { from: 'model', text: content, usage: null, failed: true }];
  const openMessage = last?.from === 'model' && last.usage === null && !last.failed ? last : null;
  const updated: ColumnMessage = {
    from: 'model',
    text: (openMessage?.text ?? '') + content,
    usage: is_finished ? (usage ?? null) : null,
    failed: false,
  };
  return openMessage ? previous.with(previous.length - 1, updated) : [...previous, updated];
}
