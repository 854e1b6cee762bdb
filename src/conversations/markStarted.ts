/** Moves a lead from `initial` to `started` once its first message has left, however that became known. */

import { changeStage } from '../leads/changeStage.ts';
import { stageAfterOutbound } from '../leads/lead.ts';
import { findLead, type LeadRow } from '../leads/store.ts';
import type { Tx } from '../platform/db.ts';
import { cancelPending } from './ownership.ts';
import { findDialogueContext } from './store/dialogues.ts';
import { hasFirstPartFailed } from './store/messages.ts';
import type { MessageRow } from './store/tables.ts';

/** The actor named in the event when a first message was accepted. */
export const STARTED_BY_FIRST_MESSAGE = 'first message';

/** Mark the lead started after a message to it has left, unless the first part of the same text reached nobody. */
export async function markStarted(tx: Tx, lead: LeadRow | undefined, message: MessageRow): Promise<void> {
  if (!lead) return;
  const stage = stageAfterOutbound(lead.stage);
  if (stage !== lead.stage && !(await hasFirstPartFailed(tx, message)))
    await changeStage(tx, { id: lead.id, stage, by: STARTED_BY_FIRST_MESSAGE, cancelPending });
}

/**
 * Do the same where the vendor's response was lost: `message` is the row as it was before the message was known to
 * have left.
 */
export async function markStartedIfUnsettled(tx: Tx, message: MessageRow): Promise<void> {
  if (message.status !== 'sending' && message.status !== 'unconfirmed') return;
  const dialogueContext = await findDialogueContext(tx, message.dialogue_id);
  if (dialogueContext) await markStarted(tx, await findLead(tx, dialogueContext.lead_id), message);
}
