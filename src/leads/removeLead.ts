/** Leads are taken out whole: the person, what was said, and the copies of it. */
import { recordDeeds, type Writing } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Seal } from '../platform/seal.ts';
import { rememberHashes } from './forgotten.ts';
import { addressesOf, deleteLeads, lockLeads } from './store.ts';

/** Called in the same transaction, before the rows go: takes the people out of what outlives them. */
export type Forget = (tx: Tx, leadIds: readonly number[]) => Promise<void>;

/**
 * Deletes leads with contacts, dialogues, messages and events, all or none; the trail says that it was done, and not
 * to whom. Of an address a keyed hash stays. Throws `not_found` when one of them is not there.
 */
export async function removeLeads(
  tx: Tx,
  ids: readonly number[],
  { caller, requestId }: Writing,
  seal: Seal,
  forget: Forget,
): Promise<void> {
  const found = await lockLeads(tx, ids);
  if (found.length < new Set(ids).size) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  await rememberHashes(tx, seal, await addressesOf(tx, ids));
  await forget(tx, ids);
  await deleteLeads(tx, ids);
  const deed = { caller, action: 'deleted', noun: 'lead', requestId };
  await recordDeeds(
    tx,
    found.map(({ id, product_id }) => ({ ...deed, rowId: id, productId: product_id })),
  );
  for (const [productId, rows] of Map.groupBy(found, (one) => one.product_id)) {
    announce(
      tx,
      'lead',
      productId,
      rows.map((one) => one.id),
    );
  }
}
