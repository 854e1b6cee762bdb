/** Erases the data of leads that the foreign keys' cascade does not reach. */
import type { Tx } from '../platform/db.ts';
import { findDialoguesOfLeads } from './store/dialogues.ts';
import { deleteRuns, redactAuditLog, redactInbox } from './store/erase.ts';

/**
 * Erase data about leads outside their own rows. Runs before the leads' rows are deleted. Deletes model runs. Inbox
 * items keep what detects a repeated hook and lose their content. The audit log keeps who did what and when, and
 * loses the rows' contents.
 */
export async function eraseLeads(tx: Tx, leadIds: readonly number[]): Promise<void> {
  const dialogueIds = (await findDialoguesOfLeads(tx, leadIds)).map((dialogue) => dialogue.id);
  await redactAuditLog(tx, leadIds, dialogueIds);
  await redactInbox(tx, leadIds, dialogueIds);
  await deleteRuns(tx, leadIds, dialogueIds);
}
