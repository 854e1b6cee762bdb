/**
 * Sets who writes for us in a dialogue: the bot or a human. The transaction that claims a message checks it again.
 */

import { cancelWaiting } from '../engine/steps/cancelWaiting.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { CancelPending } from '../leads/changeStage.ts';
import { blockReasonText, type HandOver, type OwnerReason } from '../leads/lead.ts';
import { handOverToHuman, returnToBot } from '../leads/store/humanOwner.ts';
import { insertEvent } from '../leads/store.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { requestReply } from './requestReply.ts';
import { findNextOperator, recordHandOver } from './store/attention.ts';
import { findDialogueContext, findDialoguesOfLeads, lockDialogue } from './store/dialogues.ts';
import { isUnanswered, readSilent } from './store/handBack.ts';
import type { DialogueRow } from './store/tables.ts';

/** Hand a dialogue over to a human: cancel the bot's scheduled messages and close its turn. */
export async function handOverDialogue(
  tx: Tx,
  dialogue: Pick<DialogueRow, 'id' | 'product_id'>,
  reason: HandOver & { readonly operatorId?: number },
): Promise<void> {
  const { operatorId = null } = reason;
  const where = { dialogueIds: [dialogue.id] };
  const { isOpen = false } = reason;
  await changeDialogues(tx, where, {
    kind: 'handed_over',
    reason,
    operatorId: operatorId ?? (isOpen ? await findNextOperator(tx, dialogue.id) : null),
    isOpen,
  });
  if (reason.isOpen) await recordHandOver(tx, { id: dialogue.id, reason: reason.code, detail: reason.detail ?? null });
  const blockReason = blockReasonText({ code: 'human', by: reason });
  await cancelWaiting(tx, where, { kind: 'of_bot', reason: blockReason });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** The reason of a hand-over to the operator who asks for it, who becomes its assignee if there is none. */
export const operatorReason = ({ id, login }: { readonly id: number; readonly login: string }) =>
  ({ code: 'operator', detail: login, operatorId: id }) as const;

/** An operator answers in the bot's place, and the bot keeps the dialogue: its own answer is not sent. */
export async function answerForBot(
  tx: Tx,
  dialogue: Pick<DialogueRow, 'id' | 'product_id'>,
  login: string,
): Promise<void> {
  const where = { dialogueIds: [dialogue.id] };
  await changeDialogues(tx, where, { kind: 'answered_for_bot' });
  await cancelWaiting(tx, where, { kind: 'of_bot', reason: `${login} has answered` });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** Note that a person has seen to locked dialogues: leads get no sentence of a hand-over from then on. */
export async function dropHandOverTexts(tx: Tx, dialogueIds: readonly number[], reason: string): Promise<void> {
  await cancelWaiting(tx, { dialogueIds }, { kind: 'hand_over', reason });
}

/** Note that a person has written in a locked dialogue. `operator`: null for one who wrote from the phone. */
export async function recordAnswerOfHuman(
  tx: Tx,
  dialogueId: number,
  operator: { readonly id: number; readonly login: string } | null,
): Promise<void> {
  await changeDialogues(tx, { dialogueIds: [dialogueId] }, { kind: 'person_wrote', operator });
  const reason: OwnerReason = operator === null ? { code: 'phone' } : operatorReason(operator);
  await dropHandOverTexts(tx, [dialogueId], blockReasonText({ code: 'human', by: reason }));
}

/** Stop the bot for a lead: cancel what is scheduled in every dialogue. */
export const cancelPending: CancelPending = async (
  tx,
  { leadId, reason, includeOperators = false, handOverReason },
) => {
  if (handOverReason !== undefined) return handOverAllDialogues(tx, leadId, handOverReason);
  await changeDialogues(tx, { leadIds: [leadId] }, { kind: 'lead_left' });
  const kind = includeOperators ? 'all' : 'of_bot';
  await cancelWaiting(tx, { leadIds: [leadId] }, { kind, reason: blockReasonText(reason) });
};

/**
 * Set the owner on behalf of an operator. Returning a dialogue to the bot also requests a reply to a lead's message
 * younger than 24 h that has no answer, or closes what waits with `staySilent`, and returns a lead that was taken over as a
 * whole.
 */
export async function changeOwner(
  tx: Tx,
  {
    id,
    owner,
    staySilent,
    caller,
  }: {
    id: number;
    owner: 'bot' | 'human';
    staySilent: boolean;
    caller: { readonly id: number; readonly login: string };
  },
): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (owner === 'human' && dialogue.owner === 'human')
    return dropHandOverTexts(tx, [id], blockReasonText({ code: 'human', by: operatorReason(caller) }));
  if (dialogue.owner === owner) return;
  if (owner === 'human') return handOverDialogue(tx, dialogue, operatorReason(caller));
  await giveBackToBot(tx, dialogue, { by: caller.login, staySilent });
}

/**
 * Return a locked dialogue to the bot, which then answers what is younger than 24 h. A lead who has waited for longer still
 * needs a person. With `staySilent` what waits is closed without an answer. `by`: who or what does it.
 */
export async function giveBackToBot(
  tx: Tx,
  { id, product_id: productId }: Pick<DialogueRow, 'id' | 'product_id'>,
  { by, staySilent = false }: { by: string; staySilent?: boolean },
): Promise<void> {
  await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'returned' });
  await dropHandOverTexts(tx, [id], 'The bot has the dialogue back');
  const dialogueContext = await findDialogueContext(tx, id);
  if (dialogueContext) {
    const lead = { id: dialogueContext.lead_id, product_id: productId };
    await returnToBot(tx, lead.id);
    await insertEvent(tx, { lead, type: 'returned_to_bot', content: { by } });
  }
  if (staySilent) await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'closed' });
  else await leaveToBot(tx, id);
  notify(tx, { topic: 'dialogue', product: productId, ids: [id] });
}

/** Have the bot answer its dialogue, which is locked, if the lead's message is younger than 24 h; else leave it to people. */
export async function leaveToBot(tx: Tx, id: number): Promise<void> {
  if (await isUnanswered(tx, id)) return requestReply(tx, id);
  const why = await readSilent(tx, id);
  if (why !== null) await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'left_unanswered', why });
}

/** Hand a whole lead over to a human: its present dialogues and those created later. */
export async function takeOverLead(tx: Tx, leadId: number, reason: OwnerReason): Promise<void> {
  await handOverToHuman(tx, leadId, reason);
  await handOverAllDialogues(tx, leadId, reason);
}

/** Hand over every dialogue of a lead that the bot still owns. People are called to one of them. */
async function handOverAllDialogues(tx: Tx, leadId: number, reason: HandOver): Promise<void> {
  let isOpen = reason.isOpen;
  for (const { id } of await findDialoguesOfLeads(tx, [leadId])) {
    const dialogue = await lockDialogue(tx, id);
    if (dialogue?.owner !== 'bot') continue;
    await handOverDialogue(tx, dialogue, isOpen ? reason : { code: reason.code, detail: reason.detail ?? null });
    isOpen = false;
  }
}
