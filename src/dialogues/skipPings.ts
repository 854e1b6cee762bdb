/** Follow-ups are left out until our next message: what waits of them is cancelled, and the plan makes no more. */
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { dialogueRefusals } from './refusals.ts';
import { cancelPings } from './store/cancel.ts';
import { lockDialogue, setSkipFor } from './store/dialogues.ts';
import { lastSaid } from './store/messages.ts';

/** Skips the follow-ups of a dialogue, or resumes them; a follow-up that is cancelled alone would be made again. */
export async function setPingsSkipped(tx: Tx, id: number, skip: boolean, writing: Writing): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  const { product_id: productId, skip_ping_for_msg_id: before } = dialogue;
  let after: number | null = null;
  if (skip) {
    const last = await lastSaid(tx, id);
    if (last?.side !== 'bot') throw refuse(dialogueRefusals, 'dialogue.nothing_to_skip');
    after = last.id;
    const cancelled = await cancelPings(tx, id, `Skipped by ${writing.caller.login}`);
    if (cancelled.length > 0) announce(tx, 'message', productId, cancelled);
  } else if (before === null) return;
  await setSkipFor(tx, id, after);
  await recordDeed(tx, {
    ...writing,
    action: skip ? 'follow-ups skipped' : 'follow-ups resumed',
    noun: 'dialogue',
    rowId: id,
    productId,
    before: { skip_ping_for_msg_id: before },
    after: { skip_ping_for_msg_id: after },
  });
  announce(tx, 'dialogue', productId, [id]);
}
