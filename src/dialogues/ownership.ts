/** Who speaks for us in a dialogue: the bot or a human. Checked again by the transaction that claims a message. */

import type { Silence } from '../leads/changeStage.ts';
import { giveBack, keepForHuman } from '../leads/human.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { cancelBotMessages, cancelWaiting } from './store/cancel.ts';
import {
  dialoguesOfLeads,
  isUnanswered,
  lockDialogue,
  oweAnswer,
  setOwnerOf,
  surroundings,
} from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

/** A human takes over: what the bot has waiting is cancelled, and its turn is closed. */
export async function handOver(
  tx: Tx,
  dialogue: Pick<DialogueRow, 'id' | 'product_id'>,
  reason: string,
): Promise<void> {
  await setOwnerOf(tx, dialogue.id, 'human', reason);
  const cancelled = await cancelBotMessages(tx, dialogue.id, `A human took over (${reason})`, null);
  if (cancelled.length > 0) announce(tx, 'message', dialogue.product_id, cancelled);
  announce(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

/** The bot falls silent towards a lead: what waits is cancelled in every dialogue. */
export const silence: Silence = async (tx, leadId, reason, { everybody = false, handOver: as } = {}) => {
  if (as !== undefined) return handOverLead(tx, leadId, as);
  for (const dialogue of await dialoguesOfLeads(tx, [leadId])) {
    const cancelled = everybody
      ? await cancelWaiting(tx, dialogue.id, reason)
      : await cancelBotMessages(tx, dialogue.id, reason, null);
    if (cancelled.length > 0) announce(tx, 'message', dialogue.product_id, cancelled);
  }
};

/**
 * The operator sets who speaks. Handing back answers a lead's message younger than 24 h that nobody answered, and gives back
 * a lead that was taken over as a whole.
 */
export async function setOwnerByHand(tx: Tx, id: number, owner: 'bot' | 'human', login: string): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.owner === owner) return;
  if (owner === 'human') return handOver(tx, dialogue, login);
  await setOwnerOf(tx, id, 'bot', null);
  const around = await surroundings(tx, id);
  if (around) await giveBack(tx, around.lead_id);
  if (await isUnanswered(tx, id)) await oweAnswer(tx, id);
  announce(tx, 'dialogue', dialogue.product_id, [id]);
}

/** A human takes over a lead as a whole: the dialogues that it has, and those that begin later. */
export async function takeOverLead(tx: Tx, leadId: number, reason: string): Promise<void> {
  await keepForHuman(tx, leadId, reason);
  await handOverLead(tx, leadId, reason);
}

/** A human takes over all dialogues of a lead that the bot still speaks in. */
async function handOverLead(tx: Tx, leadId: number, reason: string): Promise<void> {
  for (const { id } of await dialoguesOfLeads(tx, [leadId])) {
    const dialogue = await lockDialogue(tx, id);
    if (dialogue?.owner === 'bot') await handOver(tx, dialogue, reason);
  }
}
