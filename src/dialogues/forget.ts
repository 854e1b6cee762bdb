/** Taking a person out whole: what the cascade of foreign keys does not reach. */
import type { Tx } from '../platform/db.ts';
import { dialoguesOfLead } from './store/dialogues.ts';
import { deleteRuns, emptyInbox, emptyTrail } from './store/forget.ts';

/**
 * Called before a lead's row is deleted. Model runs go; hooks keep what makes a repeat of theirs known, and lose what
 * was said; the trail keeps who did what and when, and loses the rows' contents.
 */
export async function forgetLead(tx: Tx, leadId: number): Promise<void> {
  const dialogues = (await dialoguesOfLead(tx, leadId)).map((one) => one.id);
  await emptyTrail(tx, leadId);
  await emptyInbox(tx, dialogues);
  await deleteRuns(tx, dialogues);
}
