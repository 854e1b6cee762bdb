import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { resumeClassifications } from './store/classifications.ts';
import { resumeDeferredTurns } from './store/dialogues.ts';

/** Make a company's replies and classifications due that waited for budget; the sweep picks them up. */
export async function resumeAfterBudget(tx: Tx, companyId: number): Promise<void> {
  const resumed = await resumeDeferredTurns(tx, companyId);
  for (const { id, product_id } of resumed) notify(tx, { topic: 'dialogue', product: product_id, ids: [id] });
  for (const { dialogue_id: id, product_id } of await resumeClassifications(tx, companyId))
    notify(tx, { topic: 'dialogue', product: product_id, ids: [id] });
}
