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
import { isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { traced } from '../platform/trace.ts';
import { readProduct } from '../products/product.ts';
import { receiveOutgoing } from './echo.ts';
import { NOTICE, previewOf, shownText } from './message.ts';
import { handOver, silence } from './ownership.ts';
import { dialogueOfPerson, dialogueWith } from './person.ts';
import { receiveStatus } from './statuses.ts';
import { cancelBotMessages, cancelPings } from './store/cancel.ts';
import { type Heard, noteInbound, surroundings } from './store/dialogues.ts';
import { postponeItem, settleItem, takeItem } from './store/inbox.ts';
import { insertOnce } from './store/messages.ts';
import type { DialogueRow, InboxRow } from './store/tables.ts';

/** Messages older than this by the vendor's time, against our receipt, are stored and not answered. */
const STALE_MS = 24 * 3600 * 1000;

/** So much of an error is kept with its item. */
const MOST_NOTED = 300;

const WROTE = 'The lead wrote again before it left';

/** Works on stored items, one after another. One that cannot be worked on is left for later: nobody waits behind it. */
export async function receiveItems(ground: Ground, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    try {
      await receiveItem(ground, id);
    } catch (error) {
      // Nothing is wrong with the item: all of them come again when the database answers.
      if (isUnavailable(error)) throw error;
      const note = error instanceof Error ? error.message.slice(0, MOST_NOTED) : 'It could not be worked on';
      const tries = await postponeItem(ground.reader, id, note, ground.config.retryBaseSeconds);
      ground.log.error({ item: id, tries, reason: note }, 'an item of a hook could not be worked on');
    }
  }
}

/** Works on one stored item; any number of times has one effect. */
async function receiveItem(ground: Ground, id: number): Promise<void> {
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
  const text = shownText(item);
  if (text === '') return settleItem(tx, row.id, 'a message without a text');
  const channel = await readChannel(tx, row.channel_id);
  if (!channel) return settleItem(tx, row.id, 'the channel is gone');
  const dialogue = await findOrBegin(tx, channel, row.chat_id, item);
  if (!dialogue) return settleItem(tx, row.id, 'nobody listens on this channel');
  const at = earlier(item.occurredAt, row.received_at);
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
  const isStale = Date.parse(row.received_at) - Date.parse(at) > STALE_MS;
  // A notice is no word of the lead's. A call, or words a day old, are no turn: what was asked before is still answered.
  const isTurn = !item.isSilent && !isStale;
  const owes = item.mediaKind === NOTICE ? false : await settleLead(tx, dialogue, text);
  const answer = isTurn && owes;
  const seconds = answer ? ground.config.replyDebounceSeconds : null;
  const heard = item.mediaKind === NOTICE ? 'notice' : isTurn ? { answerAfterSeconds: seconds } : 'sign';
  await noteInbound(tx, dialogue.id, { id: messageId, at, preview: previewOf(text) }, heard);
  const voided = await voidWaiting(tx, dialogue, heard);
  await settleItem(tx, row.id, `message ${messageId}`);
  logAfter(tx, { item: row.id, message: messageId, dialogue: dialogue.id, answered: answer, voided }, 'received');
  announce(tx, 'message', dialogue.product_id, [messageId, ...voided]);
  announce(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

/** What waits and is no longer wanted, now that the lead was heard. Gives the ids. */
async function voidWaiting(tx: Tx, dialogue: DialogueRow, heard: Heard): Promise<number[]> {
  if (heard === 'notice') return [];
  return heard === 'sign'
    ? cancelPings(tx, dialogue.id, WROTE)
    : cancelBotMessages(tx, dialogue.id, WROTE, dialogue.turn + 1);
}

const earlier = (vendor: string | null, received: string): string =>
  vendor !== null && vendor < received ? vendor : received;

/** The dialogue of a chat, locked; begun when somebody writes first, whom we know or on an inbound channel. */
async function findOrBegin(tx: Tx, channel: ChannelRow, chatId: string, item: HookItem): Promise<DialogueRow | null> {
  const given = item.address ?? chatId;
  const address = normaliseAddress(channel.channel_type, given) ?? `id:${chatId}`;
  const known = await dialogueOfPerson(tx, channel, chatId, address);
  if (known) return known;
  const product = await productOfInbound(tx, channel.id);
  if (!product) return null;
  const { leadId, contactId } = await createLeadWithContact(tx, {
    productId: product.id,
    name: item.name?.trim().slice(0, 300) || given,
    stage: 'ongoing',
    contact: given,
    type: channel.channel_type,
    address,
  });
  announce(tx, 'lead', product.id, [leadId]);
  return dialogueWith(tx, { productId: product.id, contactId, channelId: channel.id, chatId, address });
}

/** What an inbound message does to the lead and to who speaks; true when the bot owes an answer to words of today. */
async function settleLead(tx: Tx, dialogue: DialogueRow, text: string): Promise<boolean> {
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
  if (dialogue.owner !== 'bot' || !lead.is_active) return false;
  const product = await readProduct(tx, dialogue.product_id);
  return product?.is_active ?? false;
}
