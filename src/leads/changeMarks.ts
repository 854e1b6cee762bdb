/** Tags and owners of many leads, changed by an operator. */
import { recordAuditEntries, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { refuse } from '../platform/refuse.ts';
import { changeTags } from '../products/tagContract.ts';
import type { BulkAction } from './bulkContract.ts';
import { leadRefusals } from './contract.ts';
import { type LeadMarks, mayOwnLeadsOf, readMarks, storeMarks } from './store/lists.ts';

export type MarkAction = Extract<BulkAction, { kind: 'change_tags' | 'set_owner' }>;

/** Return what the action makes of a lead's tags or owner; null if it changes nothing. */
export function marksAfter(marks: LeadMarks, action: MarkAction): Omit<LeadMarks, 'product_id'> | null {
  const { id, tags, owner_id } = marks;
  if (action.kind === 'set_owner') return action.owner_id === owner_id ? null : { id, tags, owner_id: action.owner_id };
  const changed = changeTags(tags, action);
  return changed && { id, tags: changed, owner_id };
}

/** Change the tags or the owner of leads, and return how many changed. Throws `lead.owner_without_access`. */
export async function changeMarks(
  tx: Tx,
  { ids, action }: { ids: readonly number[]; action: MarkAction },
  { caller, requestId }: WriteContext,
): Promise<number> {
  const before = await readMarks(tx, ids);
  const productIds = [...new Set(before.map((one) => one.product_id))];
  if (action.kind === 'set_owner') await requireOwnerAccess(tx, action.owner_id, productIds);
  const changes = before.flatMap((one) => {
    const after = marksAfter(one, action);
    return after ? [{ before: one, after }] : [];
  });
  await storeMarks(
    tx,
    changes.map(({ after }) => after),
  );
  const field = action.kind === 'set_owner' ? 'owner_id' : 'tags';
  await recordAuditEntries(
    tx,
    changes.map(({ before: one, after }) => ({
      caller,
      requestId,
      action: action.kind === 'set_owner' ? 'owner changed' : 'tags changed',
      noun: 'lead',
      rowId: one.id,
      productId: one.product_id,
      before: { [field]: one[field] },
      after: { [field]: after[field] },
    })),
  );
  for (const productId of productIds) {
    const changed = changes.filter(({ before: one }) => one.product_id === productId).map(({ after }) => after.id);
    if (changed.length > 0) notify(tx, { topic: 'lead', product: productId, ids: changed });
  }
  return changes.length;
}

/** Refuse an owner without access to the leads' products. */
export async function requireOwnerAccess(tx: Tx, ownerId: number | null, productIds: readonly number[]): Promise<void> {
  if (ownerId !== null && !(await mayOwnLeadsOf(tx, ownerId, productIds)))
    throw refuse(leadRefusals, 'lead.owner_without_access');
}
