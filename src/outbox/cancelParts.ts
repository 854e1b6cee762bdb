/** Cancels the parts of a split text. */

import type { MessageRow } from '../conversations/store/tables.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { cancelScheduledParts } from './store/delivery.ts';

/** Cancel the parts of `message`'s text that have not left. */
export async function cancelRemainingParts(
  tx: Tx,
  message: Pick<MessageRow, 'dialogue_id' | 'product_id' | 'part_group'>,
  reason: string,
): Promise<void> {
  if (message.part_group === null) return;
  const cancelled = await cancelScheduledParts(tx, {
    dialogueId: message.dialogue_id,
    partGroup: message.part_group,
    reason,
  });
  if (cancelled.length > 0) notify(tx, { topic: 'message', product: message.product_id, ids: cancelled });
}
