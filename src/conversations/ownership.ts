/**
 * Sets who writes for us in a dialogue: the bot or a human. The transaction that claims a message checks it again.
 */

import type { CancelPending } from '../leads/changeStage.ts';
import { blockReasonText, type OwnerReason } from '../leads/lead.ts';
import { handOverToHuman, returnToBot } from '../leads/store/humanOwner.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { cancelScheduledBotMessages, cancelScheduledMessages } from './store/cancel.ts';
import {
  findDialogueContext,
  findDialoguesOfLeads,
  isUnanswered,
  lockDialogue,
  requestReply,
  updateOwner,
} from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

/** Hand a dialogue over to a human: cancel the bot's scheduled messages and close its turn. */
export async function handOverDialogue(
  tx: Tx,
  dialogue: Pick<DialogueRow, 'id' | 'product_id'>,
  reason: OwnerReason,
): Promise<void> {
  await updateOwner(tx, { id: dialogue.id, owner: 'human', reason });
  const blockReason = blockReasonText({ code: 'human', by: reason });
  const cancelled = await cancelScheduledBotMessages(tx, {
    dialogueId: dialogue.id,
    reason: blockReason,
    turnsBefore: null,
  });
  if (cancelled.length > 0) notify(tx, { topic: 'message', product: dialogue.product_id, ids: cancelled });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** Stop the bot for a lead: cancel what is scheduled in every dialogue. */
export const cancelPending: CancelPending = async (
  tx,
  { leadId, reason, includeOperators = false, handOverReason },
) => {
  if (handOverReason !== undefined) return handOverAllDialogues(tx, leadId, handOverReason);
  for (const dialogue of await findDialoguesOfLeads(tx, [leadId])) {
    const cancelled = includeOperators
      ? await cancelScheduledMessages(tx, dialogue.id, blockReasonText(reason))
      : await cancelScheduledBotMessages(tx, {
          dialogueId: dialogue.id,
          reason: blockReasonText(reason),
          turnsBefore: null,
        });
    if (cancelled.length > 0) notify(tx, { topic: 'message', product: dialogue.product_id, ids: cancelled });
  }
};

/**
 * Set the owner on behalf of an operator. Returning a dialogue to the bot also requests a reply to a lead's message
 * younger than 24 h that has no answer, and returns a lead that was taken over as a whole.
 */
export async function changeOwner(
  tx: Tx,
  { id, owner, login }: { id: number; owner: 'bot' | 'human'; login: string },
): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.owner === owner) return;
  if (owner === 'human') return handOverDialogue(tx, dialogue, { code: 'operator', detail: login });
  await updateOwner(tx, { id, owner: 'bot', reason: null });
  const dialogueContext = await findDialogueContext(tx, id);
  if (dialogueContext) await returnToBot(tx, dialogueContext.lead_id);
  if (await isUnanswered(tx, id)) await requestReply(tx, id);
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [id] });
}

/** Hand a whole lead over to a human: its present dialogues and those created later. */
export async function takeOverLead(tx: Tx, leadId: number, reason: OwnerReason): Promise<void> {
  await handOverToHuman(tx, leadId, reason);
  await handOverAllDialogues(tx, leadId, reason);
}

/** Hand over every dialogue of a lead that the bot still owns. */
async function handOverAllDialogues(tx: Tx, leadId: number, reason: OwnerReason): Promise<void> {
  for (const { id } of await findDialoguesOfLeads(tx, [leadId])) {
    const dialogue = await lockDialogue(tx, id);
    if (dialogue?.owner === 'bot') await handOverDialogue(tx, dialogue, reason);
  }
}
