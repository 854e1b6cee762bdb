/** Applies vendors' statuses of our messages, and recognises our own messages when they come back as echoes. */

import type { HookItem } from '../channels/driver.ts';
import { pauseChannel, stopChannelFirstMessages } from '../channels/store.ts';
import { markStartedIfUnsettled } from '../conversations/markStarted.ts';
import { setChatIdIfMissing } from '../conversations/store/dialogues.ts';
import { deleteDuplicateEcho, updateMessage } from '../conversations/store/messages.ts';
import type { InboxRow, MessageRow } from '../conversations/store/tables.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { reportRecipientNotFound } from './recipientNotFound.ts';
import { findMessageBySendKey, scheduleStatusPoll } from './store/deliveryPolling.ts';
import { advanceStatus, findMessageByEarlierExternalId, findMessageByExternalId } from './store/deliveryReports.ts';
import { lockParkedItems, markProcessed, parkItem } from './store/items.ts';

/** How long a channel is paused; the same as after a rejection. */
const CHANNEL_PAUSE_SECONDS = 300;

/** Delay before the first poll of a message whose response was lost. */
export const FIRST_POLL_SECONDS = 60;

type DeliveryStatus = 'sent' | 'delivered' | 'read' | 'error';

function toDeliveryStatus(status: string): DeliveryStatus {
  return status === 'delivered' || status === 'read' || status === 'error' ? status : 'sent';
}

/** Apply one status to one message; publish a change. */
async function applyStatus(
  tx: Tx,
  { message, row, item }: { message: MessageRow; row: InboxRow; item: HookItem },
): Promise<void> {
  // A lead's own message has no delivery status.
  if (message.side !== 'bot') return;
  const error = { code: item.errorCode, reason: item.errorReason };
  const changed = await advanceStatus(tx, {
    id: message.id,
    status: toDeliveryStatus(row.status),
    at: item.occurredAt,
    error,
  });
  if (!changed) return;
  countAfterCommit(tx, 'statuses', { status: toDeliveryStatus(row.status) });
  // Log under the message's own trace; the status item has another.
  logAfterCommit(
    tx,
    { ...traceFields(message), message: message.id, status: toDeliveryStatus(row.status), item: row.id },
    'status',
  );
  notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
  if (row.status !== 'error') return markStartedIfUnsettled(tx, message);
  await pauseChannelAfterError(tx, message.channel_id, item);
  if (item.errorAbout === 'recipient' && message.origin === 'first') await reportRecipientNotFound(tx, message.id);
}

const traceFields = ({ trace }: MessageRow): { trace?: string } => (trace === null ? {} : { trace });

/** Pause a channel whose vendor accepted a message and could not send it, as after a rejection. */
async function pauseChannelAfterError(tx: Tx, channelId: number, item: HookItem): Promise<void> {
  if (item.errorAbout !== 'channel' && item.errorAbout !== 'passing') return;
  const reason = item.errorReason ?? 'The vendor could not send';
  await pauseChannel(tx, { channelId, seconds: CHANNEL_PAUSE_SECONDS, reason });
  await stopChannelFirstMessages(tx, channelId, reason);
}

/** Store the chat id from an echo of ours, since the vendor's response to the send may have left it out. */
export async function setChatIdFromEcho(tx: Tx, message: MessageRow, row: InboxRow): Promise<void> {
  const { isGroup } = row.item as HookItem;
  if (row.chat_id !== null && !isGroup)
    await setChatIdIfMissing(tx, { id: message.dialogue_id, channelId: message.channel_id, chatId: row.chat_id });
}

/** Find the message whose response was lost: the vendor reports our key together with its id. */
async function findBySendKey(tx: Tx, row: InboxRow, item: HookItem): Promise<MessageRow | null> {
  const message = item.key === undefined ? null : await findMessageBySendKey(tx, row.account_id, item.key);
  if (!message) return null;
  await deleteDuplicateEcho(tx, { channelId: message.channel_id, extId: row.ext_id, id: message.id });
  await updateMessage(tx, message.id, { ext_id: row.ext_id });
  await scheduleStatusPoll(tx, message.id, FIRST_POLL_SECONDS);
  // Apply items that arrived earlier under the vendor's id alone.
  await applyParkedItems(tx, { accountId: row.account_id, message, extId: row.ext_id });
  return message;
}

/**
 * Process a report about an earlier try of a requeued message: it is ours, but says nothing about the present try.
 * Returns false if there is no such try.
 */
export async function processEarlierAttempt(tx: Tx, row: InboxRow): Promise<boolean> {
  const message = await findMessageByEarlierExternalId(tx, row.account_id, row.ext_id);
  if (!message) return false;
  if (row.kind === 'message') await setChatIdFromEcho(tx, message, row);
  await markProcessed(tx, row.id, { note: 'earlier_attempt', messageId: message.id });
  return true;
}

/** Process a status: apply it if its message is known, else park it until it is. */
export async function receiveStatus(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  if (!existing && (await processEarlierAttempt(tx, row))) return;
  const message = existing ?? (await findBySendKey(tx, row, item));
  if (!message) return parkItem(tx, { id: row.id, note: 'awaits_message', seconds: null });
  await applyStatus(tx, { message, row, item });
  await markProcessed(tx, row.id, { note: 'message', messageId: message.id });
}

/**
 * Apply the items parked for a message that has just got its vendor id. Parked echoes with this id are our own
 * message.
 */
export async function applyParkedItems(
  tx: Tx,
  { accountId, message, extId }: { accountId: number; message: MessageRow; extId: string },
): Promise<void> {
  for (const row of await lockParkedItems(tx, accountId, extId)) {
    if (row.kind === 'message') await setChatIdFromEcho(tx, message, row);
    await applyStatus(tx, { message, row, item: row.item as HookItem });
    await markProcessed(tx, row.id, { note: 'message', messageId: message.id });
  }
}
