/** Moves messages back that were moved for working hours, once those are others. */
import type { Tx } from '../../platform/db.ts';
import { loadMoved } from '../postgres/load.ts';
import { applyEvents } from './applyEvents.ts';

/** Messages moved by one statement: those of a large product would take longer than a statement may. */
const BATCH = 1000;

/** Have what was moved for hours, of leads or of a product, leave when it was to leave before. */
export async function restoreMoved(
  tx: Tx,
  where: { readonly leadIds: readonly number[] } | { readonly productId: number },
): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    const loaded = await loadMoved(tx, where, BATCH);
    const events = [...loaded.byMessage.keys()].map((message) => ({ message, event: { kind: 'restored' } as const }));
    await applyEvents(tx, { loaded, events });
    isComplete = events.length < BATCH;
  }
}
