/** Taking people out whole: what the cascade of foreign keys does not reach. */
import type { Tx } from '../platform/db.ts';
import { dialoguesOfLeads } from './store/dialogues.ts';
import { deleteRuns, emptyInbox, emptyTrail } from './store/forget.ts';

/**
 * Called before leads' rows are deleted. Model runs go; hooks keep what makes a repeat of theirs known, and lose what
 * was said; the trail keeps who did what and when, and loses the rows' contents.
 */
export async function forgetLeads(tx: Tx, leadIds: readonly number[]): Promise<void> {
  const dialogues = (await dialoguesOfLeads(tx, leadIds)).map((one) => one.id);
  await emptyTrail(tx, leadIds, dialogues);
  await emptyInbox(tx, dialogues);
  await deleteRuns(tx, leadIds, dialogues);
}
