/** The dialogue that an operator opens after the one they have answered. */
import { listInbox } from '../../../desk/contract.ts';
import { call } from '../../../ui/api.ts';
import type { Dialogue, Message } from '../../contract.ts';
import { getPending, storageKeyOf } from '../chat/pendingMessages.ts';

/** How many of those who wait are read; more than an operator answers while a message is on its way. */
const LIMIT = 100;

/** Whether a message of this operator is on its way to the server, so that the lead waits no longer. */
const isBeingAnswered = (operatorId: number, dialogueId: number): boolean =>
  getPending(storageKeyOf(operatorId, dialogueId)).some(({ state }) => state === 'sending');

/** When the server accepted the last message of the operator at this console, by dialogue. */
const acceptedAt = new Map<number, string>();

/** Remember that the server has accepted a message: the stream brings the dialogue's row as it is now some time later. */
export function noteAccepted(dialogueId: number, { created_at }: Pick<Message, 'created_at'>): void {
  acceptedAt.set(dialogueId, created_at);
}

/** Whether a loaded row waits for a person, and not merely because it is older than the operator's answer. */
export const stillWaits = (
  operatorId: number,
  { id, inbox_state: state, inbox_at: since }: Pick<Dialogue, 'id' | 'inbox_state' | 'inbox_at'>,
): boolean => state === 'needs_human' && !isBeingAnswered(operatorId, id) && (acceptedAt.get(id) ?? '') < since;

/** Return the next row after `chosen` that waits; after the last one, the first. Null if there is none. */
export function nextAfter<R extends { readonly id: number }>(
  rows: readonly R[],
  chosen: number | null,
  waits: (row: R) => boolean,
): R | null {
  const at = rows.findIndex(({ id }) => id === chosen);
  const inOrder = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))];
  return inOrder.find((row) => row.id !== chosen && waits(row)) ?? null;
}

/** Find the dialogue that needs a person next, the longest wait first; null if there is no other. */
export async function findNextWaiting(
  operatorId: number,
  { chosen, ...scope }: { chosen: number | null; product_id?: number | undefined; company_id?: number | undefined },
): Promise<Dialogue | null> {
  const { items } = await call(listInbox, { query: { view: 'needs_me', ...scope, limit: LIMIT } });
  return nextAfter(items, chosen, ({ id }) => !isBeingAnswered(operatorId, id));
}
