/** The parts of one text. */
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { cancelBatch } from './store/cancel.ts';
import type { MessageRow } from './store/tables.ts';

/** What has not left of the text that `message` is a part of is cancelled. */
export async function cancelParts(
  tx: Tx,
  message: Pick<MessageRow, 'dialogue_id' | 'product_id' | 'batch'>,
  reason: string,
): Promise<void> {
  if (message.batch === null) return;
  const cancelled = await cancelBatch(tx, message.dialogue_id, message.batch, reason);
  if (cancelled.length > 0) announce(tx, 'message', message.product_id, cancelled);
}
