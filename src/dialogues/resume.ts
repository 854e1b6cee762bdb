import { BUDGET_SPENT } from '../llm/money.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { resumeClassifications } from './store/classifications.ts';
import { resumeTurns } from './store/dialogues.ts';

/** Answers and classifications of a company that wait for money are due again; the sweep finds them. */
export async function resumeAnswers(tx: Tx, companyId: number): Promise<void> {
  const resumed = await resumeTurns(tx, companyId, `No answer: ${BUDGET_SPENT}`);
  for (const { id, product_id } of resumed) announce(tx, 'dialogue', product_id, [id]);
  for (const { dialogue_id: id, product_id } of await resumeClassifications(tx, companyId))
    announce(tx, 'dialogue', product_id, [id]);
}
