/**
 * Outgoing messages that a vendor reports. With an id of ours they are our own; otherwise somebody wrote past us: a
 * human, from the phone or the vendor's window. The report may come before our own send has returned, so it is kept for
 * `holdSeconds`, and for as long as a send of this chat is under way.
 */
import type { HookItem } from '../channels/driver.ts';
import { readChannel } from '../channels/known.ts';
import { normaliseAddress } from '../leads/address.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { noteFound } from './begun.ts';
import { NOTICE, previewOf, shownText } from './message.ts';
import { handOver } from './ownership.ts';
import { dialogueOfPerson } from './person.ts';
import { ASK_SECONDS, applyHeld, learnChatOf, receiveStatus, settleEarlierTry } from './statuses.ts';
import { dialogueOfChat, learnChatId, noteOutbound } from './store/dialogues.ts';
import { askFateSoon } from './store/fates.ts';
import { holdItem, settleItem } from './store/inbox.ts';
import { insertOnce, isSending, updateMessage } from './store/messages.ts';
import type { InboxRow } from './store/tables.ts';
import { climbStatus, messageOfExtId, ourNamelessMessage } from './store/told.ts';

export async function receiveOutgoing(tx: Tx, row: InboxRow, item: HookItem, holdSeconds: number): Promise<void> {
  const known = await messageOfExtId(tx, row.account_id, row.ext_id);
  // Ours: the report is no more than a status.
  if (known) {
    await learnChatOf(tx, known, row);
    return receiveStatus(tx, row, item);
  }
  if (await settleEarlierTry(tx, row)) return;
  if (row.channel_id === null || row.chat_id === null) return settleItem(tx, row.id, 'no channel or chat');
  if (item.isGroup) return settleItem(tx, row.id, 'a group');
  if (item.mediaKind === NOTICE) return settleItem(tx, row.id, 'a notice of the messenger');
  const text = shownText(item);
  if (text === '') return settleItem(tx, row.id, 'a message without a text');
  const channel = await readChannel(tx, row.channel_id);
  const address = normaliseAddress(channel?.channel_type ?? 'whatsapp', item.address ?? row.chat_id);
  let dialogue = (await dialogueOfChat(tx, row.channel_id, row.chat_id, address)) ?? null;
  if (!dialogue && item.viaApi !== false && row.state === 'new') {
    // Perhaps ours, to somebody whose chat and number we are not told: its send is then about to tell.
    return holdItem(tx, row.id, 'waits for a send of ours', holdSeconds);
  }
  // Whom we know has been written to: nobody else writes first.
  if (!dialogue && channel && address !== null) dialogue = await dialogueOfPerson(tx, channel, row.chat_id, address);
  if (!dialogue) return settleItem(tx, row.id, 'written by others to somebody unknown');
  // Known for certain to be a person's: then it is nobody's send.
  const nameless = item.viaApi === false ? null : await ourNamelessMessage(tx, dialogue.id, text);
  // One in hand will tell its own id in a moment; one already sent or unconfirmed never will: this is it.
  if (nameless && nameless.status !== 'sending') {
    await updateMessage(tx, nameless.id, { ext_id: row.ext_id });
    await climbStatus(tx, nameless.id, 'sent', item.occurredAt, { code: null, reason: null });
    await noteFound(tx, nameless);
    await learnChatOf(tx, nameless, row);
    if (item.viaApi === true) await askFateSoon(tx, nameless.id, ASK_SECONDS);
    await settleItem(tx, row.id, `message ${nameless.id}`);
    await applyHeld(tx, row.account_id, nameless, row.ext_id);
    return announce(tx, 'message', dialogue.product_id, [nameless.id]);
  }
  if (item.viaApi !== false && (row.state === 'new' || (await isSending(tx, dialogue.id)))) {
    return holdItem(tx, row.id, 'waits for a send of ours', holdSeconds);
  }
  // A program that shares the account is nobody who takes over.
  const author = item.viaApi === true ? 'other' : 'phone';
  const messageId = await insertOnce(tx, {
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
    await noteOutbound(tx, dialogue.id, messageId, previewOf(text));
    await learnChatId(tx, dialogue.id, row.channel_id, row.chat_id);
    if (author === 'phone' && dialogue.owner === 'bot') await handOver(tx, dialogue, 'phone');
    announce(tx, 'message', dialogue.product_id, [messageId]);
  }
  await settleItem(tx, row.id, author === 'phone' ? 'written from the phone' : 'sent by another system');
}
