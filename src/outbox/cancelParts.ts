/** Cancels the parts of a split text. */

import type { MessageRow } from '../conversations/store/tables.ts';
import { cancelWaiting } from '../engine/steps/cancelWaiting.ts';
import type { Tx } from '../platform/db.ts';

/** Cancel the parts of `message`'s text that have not left. */
export async function cancelRemainingParts(
  tx: Tx,
  message: Pick<MessageRow, 'dialogue_id' | 'product_id' | 'part_group'>,
  reason: string,
): Promise<void> {
  if (message.part_group === null) return;
  const { dialogue_id: dialogueId, part_group: group } = message;
  await cancelWaiting(tx, { dialogueIds: [dialogueId] }, { kind: 'parts', group, reason });
}
