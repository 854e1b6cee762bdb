/** Vendors' statuses of our messages, and our own messages coming back as echoes. */
import type { HookItem } from '../channels/driver.ts';
import { pauseChannelSends, stopFirstMessagesOf } from '../channels/publicApi.ts';
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

/** How long, as after a refusal. */
const CHANNEL_PAUSE_SECONDS = 300;

/** When the vendor is first asked about a message whose answer was lost. */
export const FIRST_POLL_SECONDS = 60;

type DeliveryStatus = 'sent' | 'delivered' | 'read' | 'error';

function toDeliveryStatus(status: string): DeliveryStatus {
  return status === 'delivered' || status === 'read' || status === 'error' ? status : 'sent';
}

/** Applies one status to one message; announces it when something changed. */
async function applyStatus(tx: Tx, message: MessageRow, row: InboxRow, item: HookItem): Promise<void> {
  // A lead's own message has no ticks.
  if (message.side !== 'bot') return;
  const error = { code: item.errorCode, reason: item.errorReason };
  const changed = await advanceStatus(tx, message.id, toDeliveryStatus(row.status), item.occurredAt, error);
  if (!changed) return;
  countAfterCommit(tx, 'statuses', { status: toDeliveryStatus(row.status) });
  // The message's own trace; what told it has another.
  logAfterCommit(
    tx,
    { ...traceFields(message), message: message.id, status: toDeliveryStatus(row.status), item: row.id },
    'status',
  );
  notify(tx, 'message', message.product_id, [message.id]);
  if (row.status !== 'error') return markStartedIfUnsettled(tx, message);
  await pauseChannelAfterError(tx, message.channel_id, item);
  if (item.errorAbout === 'recipient' && message.origin === 'first') await reportRecipientNotFound(tx, message.id);
}

const traceFields = ({ trace }: MessageRow): { trace?: string } => (trace === null ? {} : { trace });

/** A channel whose vendor took a message and could not send it rests as one whose vendor refused it. */
async function pauseChannelAfterError(tx: Tx, channelId: number, item: HookItem): Promise<void> {
  if (item.errorAbout !== 'channel' && item.errorAbout !== 'passing') return;
  const reason = item.errorReason ?? 'The vendor could not send';
  await pauseChannelSends(tx, channelId, CHANNEL_PAUSE_SECONDS, reason);
  await stopFirstMessagesOf(tx, channelId, reason);
}

/** An echo of ours tells the chat's own id, which the vendor's answer to the send may have left out. */
export async function setChatIdFromEcho(tx: Tx, message: MessageRow, row: InboxRow): Promise<void> {
  const { isGroup } = row.item as HookItem;
  if (row.chat_id !== null && !isGroup)
    await setChatIdIfMissing(tx, message.dialogue_id, message.channel_id, row.chat_id);
}

/** Whose answer was lost: the vendor tells our key and its id together. */
async function findBySendKey(tx: Tx, row: InboxRow, item: HookItem): Promise<MessageRow | null> {
  const message = item.key === undefined ? null : await findMessageBySendKey(tx, row.account_id, item.key);
  if (!message) return null;
  await deleteDuplicateEcho(tx, message.channel_id, row.ext_id, message.id);
  await updateMessage(tx, message.id, { ext_id: row.ext_id });
  await scheduleStatusPoll(tx, message.id, FIRST_POLL_SECONDS);
  // What came before under the vendor's id alone.
  await applyParkedItems(tx, row.account_id, message, row.ext_id);
  return message;
}

/**
 * What is told of a try before the message was sent again: it is ours, and says nothing of the present try. False: it is
 * about no such try.
 */
export async function processEarlierAttempt(tx: Tx, row: InboxRow): Promise<boolean> {
  const message = await findMessageByEarlierExternalId(tx, row.account_id, row.ext_id);
  if (!message) return false;
  if (row.kind === 'message') await setChatIdFromEcho(tx, message, row);
  await markProcessed(tx, row.id, `an earlier try of message ${message.id}`);
  return true;
}

/** A status: applied when its message is known, else kept until it is. */
export async function receiveStatus(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  if (!existing && (await processEarlierAttempt(tx, row))) return;
  const message = existing ?? (await findBySendKey(tx, row, item));
  if (!message) return parkItem(tx, row.id, 'waits for its message', null);
  await applyStatus(tx, message, row, item);
  await markProcessed(tx, row.id, `message ${message.id}`);
}

/** A message of ours has learned its vendor id: what was kept for it counts now. Held echoes of it are ours. */
export async function applyParkedItems(tx: Tx, accountId: number, message: MessageRow, extId: string): Promise<void> {
  for (const row of await lockParkedItems(tx, accountId, extId)) {
    if (row.kind === 'message') await setChatIdFromEcho(tx, message, row);
    await applyStatus(tx, message, row, row.item as HookItem);
    await markProcessed(tx, row.id, `message ${message.id}`);
  }
}
