/** Applies vendors' statuses of our messages, and recognises our own messages when they come back as echoes. */

import type { HookItem } from '../channels/driver.ts';
import { findChannel } from '../channels/store.ts';
import { recordReportedChat } from '../conversations/findOrCreateDialogue.ts';
import { deleteDuplicateEcho } from '../conversations/store/messages.ts';
import type { InboxRow, MessageRow } from '../conversations/store/tables.ts';
import { type Loaded, loadConversations } from '../engine/postgres/load.ts';
import { applyEvents } from '../engine/steps/applyEvents.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { toNamedChat } from './namedChat.ts';
import { reportedEvent, toReportedStatus } from './reportedEvent.ts';
import { findMessageBySendKey } from './store/deliveryPolling.ts';
import { findMessageByEarlierExternalId, findMessageByExternalId } from './store/deliveryReports.ts';
import { markProcessed, parkItem, resumeParked } from './store/items.ts';

/** Delay before the first poll of a message whose response was lost. */
export const FIRST_POLL_SECONDS = 60;

/**
 * Record the chat that a report about a message of ours names: the answer to the send may have left it out, and the chat
 * may have further ids.
 */
async function recordChatOfReport(
  tx: Tx,
  message: Pick<MessageRow, 'channel_id' | 'dialogue_id'>,
  row: InboxRow,
): Promise<void> {
  const item = row.item as HookItem;
  if (row.chat_id === null || item.notPerson) return;
  const channel = await findChannel(tx, message.channel_id);
  if (!channel) return;
  const chat = toNamedChat(row.chat_id, item);
  await recordReportedChat(tx, {
    id: message.dialogue_id,
    channel,
    chat,
    evidence: row.kind === 'message' ? 'echo' : 'status',
  });
}

/**
 * Process a report about an earlier try of a requeued message: it is ours, but says nothing about the present try.
 * Returns false if there is no such try.
 */
export async function processEarlierAttempt(tx: Tx, row: InboxRow): Promise<boolean> {
  const message = await findMessageByEarlierExternalId(tx, row.account_id, row.ext_id);
  if (!message) return false;
  await recordChatOfReport(tx, message, row);
  await markProcessed(tx, row.id, { note: 'earlier_attempt', messageId: message.id });
  return true;
}

/** Process a status: apply it if its message is known, by the vendor's id or our key, else park it until it is. */
export async function receiveStatus(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  if (existing === null && (await processEarlierAttempt(tx, row))) return;
  const id = existing ?? (item.key === undefined ? null : await findMessageBySendKey(tx, row.account_id, item.key));
  const loaded = id === null ? null : await loadConversations(tx, [{ id, extId: row.ext_id }]);
  const message = id === null ? undefined : loaded?.byMessage.get(id)?.state.messages.get(id);
  // It is not known yet, or has been queued again meanwhile.
  if (id === null || !loaded || !message || (message.ext_id !== null && message.ext_id !== row.ext_id)) {
    if (await processEarlierAttempt(tx, row)) return;
    return parkItem(tx, { id: row.id, note: 'awaits_message', seconds: null });
  }
  await applyReport(tx, { loaded, id, row, item });
}

/**
 * Apply a report to a message, whose vendor id it may tell: what waits under that id is then received again, and the row
 * of an echo that was taken for a message sent by others is deleted.
 */
export async function applyReport(
  tx: Tx,
  {
    loaded,
    id,
    row,
    item,
    pollSeconds = FIRST_POLL_SECONDS,
  }: { loaded: Loaded; id: number; row: InboxRow; item: HookItem; pollSeconds?: number | null },
): Promise<void> {
  const conversation = loaded.byMessage.get(id);
  const before = conversation?.state.messages.get(id);
  if (!conversation || !before) return;
  const isNamed = before.ext_id !== null;
  if (!isNamed && loaded.ids.get(id)?.isIdTaken)
    await deleteDuplicateEcho(tx, { channelId: conversation.channelId, extId: row.ext_id, id });
  await recordChatOfReport(tx, { channel_id: conversation.channelId, dialogue_id: conversation.id }, row);
  const event = reportedEvent({
    status: row.status,
    occurred_at: item.occurredAt,
    error_reason: item.errorReason,
    error_code: item.errorCode,
    error_about: item.errorAbout ?? null,
  });
  const outcomes = await applyEvents(tx, {
    loaded,
    events: [
      { message: id, event },
      ...(isNamed ? [] : [{ message: id, event: { kind: 'identified', extId: row.ext_id, pollSeconds } as const }]),
    ],
  });
  await markProcessed(tx, row.id, { note: 'message', messageId: id });
  if (!isNamed) await resumeParked(tx, row.account_id, row.ext_id);
  const status = toReportedStatus(row.status);
  if (outcomes.get(id)?.after.status === before.status) return;
  countAfterCommit(tx, 'statuses', { status });
  // Log under the message's own trace; the status item has another.
  const trace = loaded.ids.get(id)?.trace ?? null;
  logAfterCommit(tx, { ...(trace === null ? {} : { trace }), message: id, status, item: row.id }, 'status');
}
