/** Who speaks for us in a dialogue: the bot or a human. Checked again by the transaction that claims a message. */

import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { dialoguesOfLead, lockDialogue, oweAnswer, setOwnerOf } from './store/dialogues.ts';
import { cancelBotMessages } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';

/** A human takes over: what the bot has waiting is cancelled, and its turn is closed. */
export async function handOver(
  tx: Tx,
  dialogue: Pick<DialogueRow, 'id' | 'product_id'>,
  reason: string,
): Promise<void> {
  await setOwnerOf(tx, dialogue.id, 'human', reason);
  const cancelled = await cancelBotMessages(tx, dialogue.id, `A human took over (${reason})`, null);
  if (cancelled.length > 0) await announce(tx, 'message', dialogue.product_id, cancelled);
  await announce(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

/** The bot falls silent towards a lead: its waiting messages are cancelled in every dialogue. */
export async function silence(tx: Tx, leadId: number, reason: string): Promise<void> {
  for (const dialogue of await dialoguesOfLead(tx, leadId)) {
    const cancelled = await cancelBotMessages(tx, dialogue.id, reason, null);
    if (cancelled.length > 0) await announce(tx, 'message', dialogue.product_id, cancelled);
  }
}

/** The operator sets who speaks. Handing back answers a lead's message younger than 24 h that nobody answered. */
export async function setOwnerByHand(tx: Tx, id: number, owner: 'bot' | 'human', login: string): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.owner === owner) return;
  if (owner === 'human') return handOver(tx, dialogue, login);
  await setOwnerOf(tx, id, 'bot', null);
  if (await isUnanswered(tx, id)) await oweAnswer(tx, id);
  await announce(tx, 'dialogue', dialogue.product_id, [id]);
}

/** Whether the last word is the lead's, younger than 24 hours. */
async function isUnanswered(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (
      select 1 from messages m
       where m.dialogue_id = ${dialogueId} and m.side = 'user' and m.thread_at > domain_now() - interval '24 hours'
         and m.kind not in ('system', 'missing_call', 'unsupported', 'unknown')
         and not exists (
           select 1 from messages o
            where o.dialogue_id = m.dialogue_id and o.side = 'bot' and o.thread_at > m.thread_at
              and o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed', 'scheduled'))) as open`.execute(
    tx,
  );
  return rows[0]?.open ?? false;
}
