import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { Tx } from '../platform/db.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { resumeClassifications } from './store/classifications.ts';
import { findTurnsWithoutBudget, TURNS_SWEEP } from './store/dialogues.ts';

/** Make a company's replies and classifications due that waited for budget; the sweep picks them up. */
export async function resumeAfterBudget(tx: Tx, companyId: number): Promise<void> {
  const dialogueIds = await findTurnsWithoutBudget(tx, companyId);
  const resumed = await changeDialogues(tx, { dialogueIds }, { kind: 'budget_renewed' });
  wakeSweep(tx, TURNS_SWEEP);
  for (const { id, productId: product } of resumed) notify(tx, { topic: 'dialogue', product, ids: [id] });
  for (const { dialogue_id: id, product_id } of await resumeClassifications(tx, companyId))
    notify(tx, { topic: 'dialogue', product: product_id, ids: [id] });
}
