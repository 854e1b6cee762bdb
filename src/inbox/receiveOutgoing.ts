/**
 * Processes outbound messages that a vendor reports. A message with an id of ours is our own; any other was sent past
 * this system, by a person on the phone or in the vendor's app. The report may arrive before our own send has
 * returned, so it is parked for `parkSeconds`, and for as long as a send of this chat is in progress.
 */

import type { HookItem } from '../channels/driver.ts';
import { SYSTEM_NOTICE } from '../channels/messageKindContract.ts';
import { type ChannelRow, findChannel } from '../channels/store.ts';
import type { NamedChat } from '../conversations/dialogueOfChat.ts';
import { findDialogueOfChat, findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { displayText } from '../conversations/message.ts';
import { handOverDialogue, recordAnswerOfHuman } from '../conversations/ownership.ts';
import { lockAddresses } from '../conversations/store/chats.ts';
import { insertMessageOnce } from '../conversations/store/messages.ts';
import type { DialogueRow, InboxRow } from '../conversations/store/tables.ts';
import { loadConversations } from '../engine/postgres/load.ts';
import { previewOf } from '../engine/preview.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { findNotPerson } from './decideInbound.ts';
import { toNamedChat } from './namedChat.ts';
import { applyReport, FIRST_POLL_SECONDS, processEarlierAttempt, receiveStatus } from './statuses.ts';
import { findMessageByExternalId, findMessageWithoutExternalId, hasMessageSending } from './store/deliveryReports.ts';
import { markProcessed, parkItem, resumeParked } from './store/items.ts';

/** Find a known contact who was written to from outside. An outbound message never creates a new contact. */
async function openDialogueFromOutside(
  tx: Tx,
  { channel, chat }: { channel: ChannelRow; chat: NamedChat },
): Promise<DialogueRow | null> {
  const channelId = channel.id;
  await lockAddresses(
    tx,
    chat.addresses.map((address) => ({ channelId, address })),
  );
  return (await findOrCreateDialogue(tx, { channel, chat, evidence: 'echo' })).dialogue;
}

export async function receiveOutgoing(
  tx: Tx,
  { row, item, parkSeconds }: { row: InboxRow; item: HookItem; parkSeconds: number },
): Promise<void> {
  const existing = await findMessageByExternalId(tx, row.account_id, row.ext_id);
  // Our own message: the report is only a status.
  if (existing !== null) return receiveStatus(tx, row, item);
  if (await processEarlierAttempt(tx, row)) return;
  if (row.channel_id === null || row.chat_id === null) return markProcessed(tx, row.id, 'no_chat');
  const channel = await findChannel(tx, row.channel_id);
  const notPerson = findNotPerson(item, channel?.number ?? null);
  if (notPerson !== null) return markProcessed(tx, row.id, notPerson);
  if (item.mediaKind === SYSTEM_NOTICE) return markProcessed(tx, row.id, 'system_notice');
  const text = displayText(item);
  // An echo without words may be one of ours: it says nothing about a person.
  if (text === '' || item.mediaKind === 'empty') return markProcessed(tx, row.id, 'no_text');
  if (!channel) return markProcessed(tx, row.id, 'channel_deleted');
  const chat = toNamedChat(row.chat_id, item);
  let dialogue = await findDialogueOfChat(tx, { channel, chat, evidence: 'echo' });
  if (!dialogue && item.viaApi !== false && row.state === 'new') {
    // Possibly ours, to a contact whose chat id and address are still unknown; the response to its send will reveal
    // them.
    return parkItem(tx, { id: row.id, note: 'awaits_send', seconds: parkSeconds });
  }
  dialogue ??= await openDialogueFromOutside(tx, { channel, chat });
  if (!dialogue) return markProcessed(tx, row.id, 'unknown_recipient');
  // If the vendor says that a person wrote it, it is not one of our sends.
  const unidentified = item.viaApi === false ? null : await findMessageWithoutExternalId(tx, dialogue.id, text);
  // A message still sending will get its own id in a moment. One already sent or unconfirmed never will, so this
  // report is about it.
  if (unidentified && unidentified.status !== 'sending') {
    const { id } = unidentified;
    const loaded = await loadConversations(tx, [{ id, extId: row.ext_id }]);
    const message = loaded.byMessage.get(id)?.state.messages.get(id);
    if (message?.ext_id === null && message.status !== 'sending')
      return applyReport(tx, { loaded, id, row, item, pollSeconds: item.viaApi === true ? FIRST_POLL_SECONDS : null });
  }
  if (item.viaApi !== false && (row.state === 'new' || (await hasMessageSending(tx, dialogue.id)))) {
    return parkItem(tx, { id: row.id, note: 'awaits_send', seconds: parkSeconds });
  }
  // A program that shares the account does not take the dialogue over.
  const author = item.viaApi === true ? 'other' : 'phone';
  const at = item.occurredAt ?? row.received_at;
  const threadAt = at < row.received_at ? at : row.received_at;
  const messageId = await insertMessageOnce(tx, {
    product_id: dialogue.product_id,
    contact_id: dialogue.contact_id,
    dialogue_id: dialogue.id,
    channel_id: row.channel_id,
    message: text,
    kind: item.mediaKind,
    media_url: item.mediaUrl,
    refers_to_ext_id: item.refersTo ?? null,
    side: 'bot',
    author,
    status: 'sent',
    ext_id: row.ext_id,
    thread_at: threadAt,
    sent_at: at,
  });
  if (messageId !== null) {
    const left = { message: messageId, at: Date.parse(threadAt), preview: previewOf(text) };
    await changeDialogues(tx, { dialogueIds: [dialogue.id] }, { kind: 'left_elsewhere', ...left });
    if (author === 'phone' && dialogue.owner === 'bot') await handOverDialogue(tx, dialogue, { code: 'phone' });
    if (author === 'phone') await recordAnswerOfHuman(tx, dialogue.id, null);
    notify(tx, { topic: 'message', product: dialogue.product_id, ids: [messageId] });
    await resumeParked(tx, row.account_id, row.ext_id);
  }
  await markProcessed(tx, row.id, author === 'phone' ? 'phone' : 'other_system');
}
