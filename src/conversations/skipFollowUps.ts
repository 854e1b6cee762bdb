/** Skips follow-ups until our next message: scheduled ones are cancelled, and the plan creates no more. */
import { cancelWaiting } from '../engine/steps/cancelWaiting.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { conversationRefusals } from './refusals.ts';
import { lockDialogue } from './store/dialogues.ts';
import { findLastMessage } from './store/messages.ts';

/**
 * Skip the follow-ups of a dialogue, or resume them. Cancelling a follow-up alone is not enough: it would be
 * recreated.
 */
export async function setFollowUpsSkipped(
  tx: Tx,
  { id, skip }: { id: number; skip: boolean },
  writing: WriteContext,
): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  const { product_id: productId, skip_ping_for_msg_id: before } = dialogue;
  let after: number | null = null;
  if (skip) {
    const last = await findLastMessage(tx, id);
    if (last?.side !== 'bot') throw refuse(conversationRefusals, 'dialogue.nothing_to_skip');
    after = last.id;
    const reason = `Skipped by ${writing.caller.login}`;
    await cancelWaiting(tx, { dialogueIds: [id] }, { kind: 'follow_ups', reason });
  } else if (before === null) return;
  await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'follow_ups_skipped', message: after });
  await recordAuditEntry(tx, {
    ...writing,
    action: skip ? 'follow-ups skipped' : 'follow-ups resumed',
    noun: 'dialogue',
    rowId: id,
    productId,
    before: { skip_ping_for_msg_id: before },
    after: { skip_ping_for_msg_id: after },
  });
  notify(tx, { topic: 'dialogue', product: productId, ids: [id] });
}
