/** Taking people out whole: what the cascade of foreign keys does not reach. */
import type { Tx } from '../platform/db.ts';
import { findDialoguesOfLeads } from './store/dialogues.ts';
import { deleteRuns, redactAuditLog, redactInbox } from './store/erase.ts';

/**
 * Called before leads' rows are deleted. Model runs go; hooks keep what makes a repeat of theirs known, and lose what
 * was said; the trail keeps who did what and when, and loses the rows' contents.
 */
export async function eraseLeads(tx: Tx, leadIds: readonly number[]): Promise<void> {
  const dialogueIds = (await findDialoguesOfLeads(tx, leadIds)).map((dialogue) => dialogue.id);
  await redactAuditLog(tx, leadIds, dialogueIds);
  await redactInbox(tx, dialogueIds);
  await deleteRuns(tx, leadIds, dialogueIds);
}
