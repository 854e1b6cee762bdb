/** Deletes leads completely: the lead, the conversations, and the copies of their content. */
import { recordAuditEntries, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { SecretCipher } from '../platform/secretCipher.ts';
import { carryOptOuts, detachOptOuts } from './store/optOuts.ts';
import { suppressAddresses } from './store/suppressedAddresses.ts';
import { deleteLeads, lockLeads, readAddresses } from './store.ts';

/** Erase leads from rows that outlive them. Called in the same transaction, before the leads are deleted. */
export type EraseLeads = (tx: Tx, leadIds: readonly number[]) => Promise<void>;

/**
 * Delete leads with contacts, dialogues, messages and events, all or none. The audit log records the deletion, but not
 * the lead's data. A keyed hash of each address stays. Throws `not_found` if one of the leads does not exist.
 */
export async function removeLeads(
  tx: Tx,
  {
    ids,
    writing: { caller, requestId },
    cipher,
    eraseLeads,
  }: { ids: readonly number[]; writing: WriteContext; cipher: SecretCipher; eraseLeads: EraseLeads },
): Promise<void> {
  const leads = await lockLeads(tx, ids);
  if (leads.length < new Set(ids).size) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  await carryOptOuts(tx, cipher, ids);
  await detachOptOuts(tx, ids);
  await suppressAddresses(tx, cipher, await readAddresses(tx, ids));
  await eraseLeads(tx, ids);
  await deleteLeads(tx, ids);
  const entry = { caller, action: 'deleted', noun: 'lead', requestId };
  await recordAuditEntries(
    tx,
    leads.map(({ id, product_id }) => ({ ...entry, rowId: id, productId: product_id })),
  );
  for (const [productId, rows] of Map.groupBy(leads, (one) => one.product_id)) {
    notify(tx, { topic: 'lead', product: productId, ids: rows.map((one) => one.id) });
  }
}
