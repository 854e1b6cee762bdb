/**
 * Outgoing messages that a vendor reports. With an id of ours they are our own; otherwise somebody wrote past us: a
 * human, from the phone or the vendor's window. The report may come before our own send has returned, so it is kept for
 * `holdSeconds`, and for as long as a send of this chat is under way.
 */
import type { HookItem } from '../channels/driver.ts';
import { readChannel } from '../channels/publicApi.ts';
import { findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { markStartedIfUnsettled } from '../conversations/markStarted.ts';
import { displayText, previewOf, SYSTEM_NOTICE } from '../conversations/message.ts';
import { handOverDialogue } from '../conversations/ownership.ts';
import { lockDialogueByChat, recordOutbound, setChatIdIfMissing } from '../conversations/store/dialogues.ts';
import { hasMessageSending, insertMessageOnce, updateMessage } from '../conversations/store/messages.ts';
import type { InboxRow } from '../conversations/store/tables.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import {
  applyParkedItems,
  FIRST_POLL_SECONDS,
  processEarlierAttempt,
  receiveStatus,
  setChatIdFromEcho,
} from './statuses.ts';
import { scheduleStatusPoll } from './store/deliveryPolling.ts';
import { advanceStatus, findMessageByExternalId, findMessageWithoutExternalId } from './store/deliveryReports.ts';
import { markProcessed, parkItem } from './store/items.ts';

export async function receiveOutgoing(tx: Tx, row: InboxRow, item: HookItem, parkSeconds: number): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  // Ours: the report is no more than a status.
  if (existing) {
    await setChatIdFromEcho(tx, existing, row);
    return receiveStatus(tx, row, item);
  }
  if (await processEarlierAttempt(tx, row)) return;
  if (row.channel_id === null || row.chat_id === null) return markProcessed(tx, row.id, 'no channel or chat');
  if (item.isGroup) return markProcessed(tx, row.id, 'a group');
  if (item.mediaKind === SYSTEM_NOTICE) return markProcessed(tx, row.id, 'a notice of the messenger');
  const text = displayText(item);
  if (text === '') return markProcessed(tx, row.id, 'a message without a text');
  const channel = await readChannel(tx, row.channel_id);
  const address = normaliseAddress(channel?.channel_type ?? 'whatsapp', item.address ?? row.chat_id);
  let dialogue = (await lockDialogueByChat(tx, row.channel_id, row.chat_id, address)) ?? null;
  if (!dialogue && item.viaApi !== false && row.state === 'new') {
    // Perhaps ours, to somebody whose chat and number we are not told: its send is then about to tell.
    return parkItem(tx, row.id, 'waits for a send of ours', parkSeconds);
  }
  // Whom we know has been written to: nobody else writes first.
  if (!dialogue && channel && address !== null)
    dialogue = await findOrCreateDialogue(tx, channel, row.chat_id, address);
  if (!dialogue) return markProcessed(tx, row.id, 'written by others to somebody unknown');
  // Known for certain to be a person's: then it is nobody's send.
  const unidentified = item.viaApi === false ? null : await findMessageWithoutExternalId(tx, dialogue.id, text);
  // One in hand will tell its own id in a moment; one already sent or unconfirmed never will: this is it.
  if (unidentified && unidentified.status !== 'sending') {
    await updateMessage(tx, unidentified.id, { ext_id: row.ext_id });
    await advanceStatus(tx, unidentified.id, 'sent', item.occurredAt, { code: null, reason: null });
    await markStartedIfUnsettled(tx, unidentified);
    await setChatIdFromEcho(tx, unidentified, row);
    if (item.viaApi === true) await scheduleStatusPoll(tx, unidentified.id, FIRST_POLL_SECONDS);
    await markProcessed(tx, row.id, `message ${unidentified.id}`);
    await applyParkedItems(tx, row.account_id, unidentified, row.ext_id);
    return notify(tx, 'message', dialogue.product_id, [unidentified.id]);
  }
  if (item.viaApi !== false && (row.state === 'new' || (await hasMessageSending(tx, dialogue.id)))) {
    return parkItem(tx, row.id, 'waits for a send of ours', parkSeconds);
  }
  // A program that shares the account is nobody who takes over.
  const author = item.viaApi === true ? 'other' : 'phone';
  const messageId = await insertMessageOnce(tx, {
    product_id: dialogue.product_id,
    contact_id: dialogue.contact_id,
    dialogue_id: dialogue.id,
    channel_id: row.channel_id,
    message: text,
    kind: item.mediaKind,
    media_url: item.mediaUrl,
    side: 'bot',
    author,
    status: 'sent',
    ext_id: row.ext_id,
    thread_at: item.occurredAt !== null && item.occurredAt < row.received_at ? item.occurredAt : row.received_at,
    sent_at: item.occurredAt ?? row.received_at,
  });
  if (messageId !== null) {
    await recordOutbound(tx, dialogue.id, messageId, previewOf(text));
    await setChatIdIfMissing(tx, dialogue.id, row.channel_id, row.chat_id);
    if (author === 'phone' && dialogue.owner === 'bot') await handOverDialogue(tx, dialogue, 'phone');
    notify(tx, 'message', dialogue.product_id, [messageId]);
  }
  await markProcessed(tx, row.id, author === 'phone' ? 'written from the phone' : 'sent by another system');
}
