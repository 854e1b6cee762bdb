/** Cancels messages that wait and have become pointless. */
import type { Tx } from '../../platform/db.ts';
import { loadWaiting, type Where } from '../postgres/load.ts';
import type { Delivery } from '../rules/message.ts';
import { isPointless, type Pointless } from '../rules/waiting.ts';
import { applyEvents } from './applyEvents.ts';

/** Cancel what waits in dialogues and has become pointless. The dialogues, or their leads, are locked. */
export async function cancelWaiting(
  tx: Tx,
  where: Where,
  { reason, ...which }: Pointless & { readonly reason: string },
): Promise<void> {
  await cancelPointless(tx, where, { reason, isPointless: (message) => isPointless(message, which) });
}

/** Cancel what waits and has become pointless by a condition. Returns the messages, with their dialogues. */
export async function cancelPointless(
  tx: Tx,
  where: Where,
  {
    reason,
    isPointless: isWanted,
  }: { reason: string; isPointless: (message: Delivery, dialogueId: number) => boolean },
): Promise<readonly { readonly id: number; readonly dialogueId: number }[]> {
  const loaded = await loadWaiting(tx, where);
  const cancelled = [...loaded.byMessage].flatMap(([id, { id: dialogueId, state }]) => {
    const one = state.messages.get(id);
    return one && isWanted(one, dialogueId) ? [{ id, dialogueId }] : [];
  });
  const events = cancelled.map(({ id: message }) => ({ message, event: { kind: 'cancelled', reason } as const }));
  if (events.length > 0) await applyEvents(tx, { loaded, events });
  return cancelled;
}
