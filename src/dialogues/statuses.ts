/** Vendors' statuses of our messages, and our own messages coming back as echoes. */
import type { HookItem } from '../channels/driver.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { heldFor, holdItem, settleItem } from './store/inbox.ts';
import { climbStatus, messageOfExtId } from './store/messages.ts';
import type { InboxRow, MessageRow } from './store/tables.ts';

type Climbing = 'sent' | 'delivered' | 'read' | 'error';

function climbing(status: string): Climbing {
  return status === 'delivered' || status === 'read' || status === 'error' ? status : 'sent';
}

/** Applies one status to one message; announces it when something changed. */
async function apply(tx: Tx, message: MessageRow, row: InboxRow, item: HookItem): Promise<void> {
  // A lead's own message has no ticks.
  if (message.side !== 'bot') return;
  const error = { code: item.errorCode, reason: item.errorReason };
  const changed = await climbStatus(tx, message.id, climbing(row.status), item.occurredAt, error);
  if (changed) announce(tx, 'message', message.product_id, [message.id]);
}

/** A status: applied when its message is known, else kept until it is. */
export async function receiveStatus(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  const message = await messageOfExtId(tx, row.account_id, row.ext_id);
  if (!message) return holdItem(tx, row.id, 'waits for its message', null);
  await apply(tx, message, row, item);
  await settleItem(tx, row.id, `message ${message.id}`);
}

/** A message of ours has learned its vendor id: what was kept for it counts now. Held echoes of it are ours. */
export async function applyHeld(tx: Tx, accountId: number, message: MessageRow, extId: string): Promise<void> {
  for (const row of await heldFor(tx, accountId, extId)) {
    await apply(tx, message, row, row.item as HookItem);
    await settleItem(tx, row.id, `message ${message.id}`);
  }
}
