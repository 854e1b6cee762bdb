/** What becomes of a stored hook item: a message in a dialogue and a turn for the bot, a status, a channel's state. */
import { ASK_AGAIN, type HookItem } from '../channels/driver.ts';
import {
  askSessionsAgain,
  type ChannelRow,
  noteChannelState,
  productOfInbound,
  readChannel,
} from '../channels/known.ts';
import { normaliseAddress } from '../leads/address.ts';
import { changeStage, deactivate } from '../leads/changeStage.ts';
import { createLeadWithContact, holdLead } from '../leads/known.ts';
import { isOver, stageAfterInbound } from '../leads/lead.ts';
import { isOptOut } from '../leads/optOut.ts';
import { countAfter, logAfter } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { traced } from '../platform/trace.ts';
import { readProduct } from '../products/product.ts';
import { receiveOutgoing } from './echo.ts';
import { previewOf, shownText } from './message.ts';
import { handOver, silence } from './ownership.ts';
import { receiveStatus } from './statuses.ts';
import {
  contactOfAddress,
  dialogueOfChat,
  insertDialogue,
  learnChatId,
  lockAddress,
  lockDialogue,
  noteInbound,
  surroundings,
} from './store/dialogues.ts';
import { settleItem, takeItem } from './store/inbox.ts';
import { cancelBotMessages, insertOnce } from './store/messages.ts';
import type { DialogueRow, InboxRow } from './store/tables.ts';

/** Messages older than this by the vendor's time, against our receipt, are stored and not answered. */
const STALE_MS = 24 * 3600 * 1000;

/** Works on one stored item; any number of times has one effect. */
export async function receiveItem(ground: Ground, id: number): Promise<void> {
  await ground.transact(async (tx) => {
    const row = await takeItem(tx, id);
    if (!row) return;
    await traced(row.trace, () => receiveRow(ground, tx, row));
  });
  failpoint('receive.afterCommit');
}

async function receiveRow(ground: Ground, tx: Tx, row: InboxRow): Promise<void> {
  const item = row.item as HookItem;
  countAfter(tx, 'received', { kind: row.kind });
  switch (row.kind) {
    case 'status':
      return receiveStatus(tx, row, item);
    case 'channel':
      return receiveChannelState(tx, row, item);
    case 'message':
      return row.status === 'inbound'
        ? receiveInbound(ground, tx, row, item)
        : receiveOutgoing(tx, row, item, ground.config.echoHoldSeconds);
    default:
      row.kind satisfies never;
  }
}

async function receiveChannelState(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  if (row.status === ASK_AGAIN) {
    await askSessionsAgain(tx, row.account_id);
    return settleItem(tx, row.id, 'the account is asked again');
  }
  if (row.channel_id !== null) {
    await noteChannelState(tx, row.channel_id, row.status, item.qr ?? null);
    const product = await productOfInbound(tx, row.channel_id);
    if (product) announce(tx, 'channel', product.id, [row.channel_id]);
  }
  await settleItem(tx, row.id, 'channel state noted');
}

async function receiveInbound(ground: Ground, tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  if (row.channel_id === null || row.chat_id === null) return settleItem(tx, row.id, 'no channel or chat');
  if (item.isGroup) return settleItem(tx, row.id, 'a group: not answered');
  const channel = await readChannel(tx, row.channel_id);
  if (!channel) return settleItem(tx, row.id, 'the channel is gone');
  const dialogue = await findOrBegin(tx, channel, row.chat_id, item);
  if (!dialogue) return settleItem(tx, row.id, 'nobody listens on this channel');
  const at = earlier(item.occurredAt, row.received_at);
  const text = shownText(item);
  const messageId = await insertOnce(tx, {
    product_id: dialogue.product_id,
    contact_id: dialogue.contact_id,
    dialogue_id: dialogue.id,
    channel_id: channel.id,
    message: text,
    kind: item.mediaKind,
    media_url: item.mediaUrl,
    side: 'user',
    author: 'lead',
    status: 'inbound',
    ext_id: row.ext_id,
    thread_at: at,
    sent_at: at,
    ...(row.trace === null ? {} : { trace: row.trace }),
  });
  if (messageId === null) return settleItem(tx, row.id, 'known already');
  failpoint('receive.afterInsert');
  const answer = await settleLead(ground, tx, dialogue, item, text, Date.parse(row.received_at) - Date.parse(at));
  const seconds = answer ? ground.config.replyDebounceSeconds : null;
  await noteInbound(tx, dialogue.id, { id: messageId, at, preview: previewOf(text) }, seconds);
  const voided = await cancelBotMessages(tx, dialogue.id, 'The lead wrote again before it left', dialogue.turn + 1);
  await settleItem(tx, row.id, `message ${messageId}`);
  logAfter(tx, { item: row.id, message: messageId, dialogue: dialogue.id, answered: answer, voided }, 'received');
  announce(tx, 'message', dialogue.product_id, [messageId, ...voided]);
  announce(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

const earlier = (vendor: string | null, received: string): string =>
  vendor !== null && vendor < received ? vendor : received;

/** The dialogue of a chat, locked; begun when a known contact, or a stranger on an inbound channel, writes first. */
async function findOrBegin(tx: Tx, channel: ChannelRow, chatId: string, item: HookItem): Promise<DialogueRow | null> {
  const given = item.address ?? chatId;
  const address = normaliseAddress(channel.channel_type, given) ?? `id:${chatId}`;
  let known = await dialogueOfChat(tx, channel.id, chatId, address);
  if (!known) {
    await lockAddress(tx, channel.id, address);
    known = await dialogueOfChat(tx, channel.id, chatId, address);
  }
  if (known) {
    await learnChatId(tx, known.id, channel.id, chatId);
    return known;
  }
  const contact = await contactOfAddress(tx, channel.id, channel.channel_type, address);
  let productId = contact?.product_id;
  let contactId = contact?.contact_id;
  if (productId === undefined || contactId === undefined) {
    const product = await productOfInbound(tx, channel.id);
    if (!product) return null;
    const made = await createLeadWithContact(tx, {
      productId: product.id,
      name: item.name?.trim().slice(0, 300) || given,
      stage: 'ongoing',
      contact: given,
      type: channel.channel_type,
      address,
    });
    productId = product.id;
    contactId = made.contactId;
    announce(tx, 'lead', productId, [made.leadId]);
  }
  const id = await insertDialogue(tx, { productId, contactId, channelId: channel.id, chatId, address });
  return (await lockDialogue(tx, id)) ?? null;
}

/** What an inbound message does to the lead and to who speaks; true when the bot owes an answer. */
async function settleLead(
  ground: Ground,
  tx: Tx,
  dialogue: DialogueRow,
  item: HookItem,
  text: string,
  ageMs: number,
): Promise<boolean> {
  const around = await surroundings(tx, dialogue.id);
  const lead = around ? await holdLead(tx, around.lead_id) : undefined;
  if (!lead) return false;
  if (isOptOut(text)) {
    await deactivate(tx, lead.id, 'lead', silence, true);
    return false;
  }
  if (isOver(lead.stage) && dialogue.owner === 'bot') {
    await handOver(tx, dialogue, 'writes again');
    return false;
  }
  const stage = stageAfterInbound(lead.stage);
  if (stage !== lead.stage) await changeStage(tx, lead.id, stage, 'lead wrote', silence);
  if (dialogue.owner !== 'bot' || !lead.is_active || item.isSilent || ageMs > STALE_MS) return false;
  const product = await readProduct(tx, dialogue.product_id);
  return product?.is_active ?? false;
}
