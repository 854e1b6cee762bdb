/**
 * Processes outbound messages that a vendor reports. A message with an id of ours is our own; any other was sent past
 * this system, by a person on the phone or in the vendor's app. The report may arrive before our own send has
 * returned, so it is parked for `parkSeconds`, and for as long as a send of this chat is in progress.
 */

import type { HookItem } from '../channels/driver.ts';
import { findChannel } from '../channels/store.ts';
import { findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { markStartedIfUnsettled } from '../conversations/markStarted.ts';
import { displayText, previewOf, SYSTEM_NOTICE } from '../conversations/message.ts';
import { handOverDialogue, recordAnswerOfHuman } from '../conversations/ownership.ts';
import { lockDialogueByChat, recordOutbound, setChatIdIfMissing } from '../conversations/store/dialogues.ts';
import { insertMessageOnce, updateMessage } from '../conversations/store/messages.ts';
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
import {
  advanceStatus,
  findMessageByExternalId,
  findMessageWithoutExternalId,
  hasMessageSending,
} from './store/deliveryReports.ts';
import { markProcessed, parkItem } from './store/items.ts';

export async function receiveOutgoing(
  tx: Tx,
  { row, item, parkSeconds }: { row: InboxRow; item: HookItem; parkSeconds: number },
): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  // Our own message: the report is only a status.
  if (existing) {
    await setChatIdFromEcho(tx, existing, row);
    return receiveStatus(tx, row, item);
  }
  if (await processEarlierAttempt(tx, row)) return;
  if (row.channel_id === null || row.chat_id === null) return markProcessed(tx, row.id, 'no_chat');
  if (item.isGroup) return markProcessed(tx, row.id, 'group');
  if (item.mediaKind === SYSTEM_NOTICE) return markProcessed(tx, row.id, 'system_notice');
  const text = displayText(item);
  if (text === '') return markProcessed(tx, row.id, 'no_text');
  const channel = await findChannel(tx, row.channel_id);
  const address = normaliseAddress(channel?.channel_type ?? 'whatsapp', item.address ?? row.chat_id);
  let dialogue = (await lockDialogueByChat(tx, { channelId: row.channel_id, chatId: row.chat_id, address })) ?? null;
  if (!dialogue && item.viaApi !== false && row.state === 'new') {
    // Possibly ours, to a contact whose chat id and address are still unknown; the response to its send will reveal
    // them.
    return parkItem(tx, { id: row.id, note: 'awaits_send', seconds: parkSeconds });
  }
  // A known contact was written to from outside. An outbound message never creates a new contact.
  if (!dialogue && channel && address !== null)
    dialogue = await findOrCreateDialogue(tx, { channel, chatId: row.chat_id, address });
  if (!dialogue) return markProcessed(tx, row.id, 'unknown_recipient');
  // If the vendor says that a person wrote it, it is not one of our sends.
  const unidentified = item.viaApi === false ? null : await findMessageWithoutExternalId(tx, dialogue.id, text);
  // A message still sending will get its own id in a moment. One already sent or unconfirmed never will, so this
  // report is about it.
  if (unidentified && unidentified.status !== 'sending') {
    await updateMessage(tx, unidentified.id, { ext_id: row.ext_id });
    await advanceStatus(tx, {
      id: unidentified.id,
      status: 'sent',
      at: item.occurredAt,
      error: { code: null, reason: null },
    });
    await markStartedIfUnsettled(tx, unidentified);
    await setChatIdFromEcho(tx, unidentified, row);
    if (item.viaApi === true) await scheduleStatusPoll(tx, unidentified.id, FIRST_POLL_SECONDS);
    await markProcessed(tx, row.id, { note: 'message', messageId: unidentified.id });
    await applyParkedItems(tx, { accountId: row.account_id, message: unidentified, extId: row.ext_id });
    return notify(tx, { topic: 'message', product: dialogue.product_id, ids: [unidentified.id] });
  }
  if (item.viaApi !== false && (row.state === 'new' || (await hasMessageSending(tx, dialogue.id)))) {
    return parkItem(tx, { id: row.id, note: 'awaits_send', seconds: parkSeconds });
  }
  // A program that shares the account does not take the dialogue over.
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
    await recordOutbound(tx, { id: dialogue.id, messageId, preview: previewOf(text) });
    await setChatIdIfMissing(tx, { id: dialogue.id, channelId: row.channel_id, chatId: row.chat_id });
    if (author === 'phone' && dialogue.owner === 'bot') await handOverDialogue(tx, dialogue, { code: 'phone' });
    if (author === 'phone') await recordAnswerOfHuman(tx, dialogue.id, null);
    notify(tx, { topic: 'message', product: dialogue.product_id, ids: [messageId] });
  }
  await markProcessed(tx, row.id, author === 'phone' ? 'phone' : 'other_system');
}
