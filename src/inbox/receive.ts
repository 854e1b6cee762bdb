/**
 * Processes stored hook items: an inbound message in a dialogue with a turn for the bot, a status, or a channel's
 * state.
 */

import { type HookItem, REFRESH_SESSIONS } from '../channels/driver.ts';
import {
  type ChannelRow,
  findChannel,
  requestAccountPoll,
  selectInboundProduct,
  setChannelState,
} from '../channels/store.ts';
import { createDialogue, findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { displayText, previewOf, SYSTEM_NOTICE } from '../conversations/message.ts';
import { cancelPending, handOverDialogue } from '../conversations/ownership.ts';
import { cancelFollowUps, cancelScheduledBotMessages } from '../conversations/store/cancel.ts';
import { findDialogueContext, type InboundKind, recordInbound } from '../conversations/store/dialogues.ts';
import { insertMessageOnce } from '../conversations/store/messages.ts';
import type { DialogueRow, InboxRow } from '../conversations/store/tables.ts';
import { normaliseAddress } from '../leads/address.ts';
import { changeStage, deactivate } from '../leads/changeStage.ts';
import { createLeadWithContact } from '../leads/createLead.ts';
import { blockReasonText, botBlockReason, isFinalStage, stageAfterInbound } from '../leads/lead.ts';
import { isOptOut } from '../leads/optOut.ts';
import { lockLead } from '../leads/store.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { withTrace } from '../platform/trace.ts';
import { readProduct } from '../products/product.ts';
import { receiveOutgoing } from './receiveOutgoing.ts';
import { receiveStatus } from './statuses.ts';
import { claimItem, deferItem, markProcessed } from './store/items.ts';

/** Messages that were older than this when we received them, by the vendor's time, are stored and not answered. */
const MAX_AGE_MS = 24 * 3600 * 1000;

/** Longest error text kept with an item, characters. */
const MAX_ERROR_LENGTH = 300;

const LEAD_WROTE_AGAIN = blockReasonText({ code: 'newer_message' });

/** Process stored items in order. An item that fails is retried later and does not block those behind it. */
export async function receiveItems(context: AppContext, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    try {
      await receiveItem(context, id);
    } catch (error) {
      // The item is fine: all of them are processed again when the database is available.
      if (isUnavailable(error)) throw error;
      const reason = error instanceof Error ? error.message.slice(0, MAX_ERROR_LENGTH) : 'It could not be worked on';
      const attempts = await deferItem(context.reader, {
        id,
        error: reason,
        pauseSeconds: context.config.retryBaseSeconds,
      });
      context.log.error({ item: id, attempts, reason }, 'an item of a hook could not be worked on');
    }
  }
}

/** Process one stored item. Idempotent. */
async function receiveItem(context: AppContext, id: number): Promise<void> {
  await context.transact(async (tx) => {
    const row = await claimItem(tx, id);
    if (!row) return;
    await withTrace(row.trace, () => receiveRow(context, tx, row));
  });
  failpoint('receive.afterCommit');
}

async function receiveRow(context: AppContext, tx: Tx, row: InboxRow): Promise<void> {
  const item = row.item as HookItem;
  countAfterCommit(tx, 'received', { kind: row.kind });
  switch (row.kind) {
    case 'status':
      return receiveStatus(tx, row, item);
    case 'channel':
      return receiveChannelState(tx, row, item);
    case 'message':
      return row.status === 'inbound'
        ? receiveInbound(context, tx, { row, item })
        : receiveOutgoing(tx, { row, item, parkSeconds: context.config.echoGraceSeconds });
    default:
      row.kind satisfies never;
  }
}

async function receiveChannelState(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  if (row.status === REFRESH_SESSIONS) {
    await requestAccountPoll(tx, row.account_id);
    return markProcessed(tx, row.id, 'account_polled');
  }
  if (row.channel_id !== null) {
    await setChannelState(tx, { channelId: row.channel_id, state: row.status, qr: item.qr ?? null });
    const product = await selectInboundProduct(tx, row.channel_id);
    if (product) notify(tx, { topic: 'channel', product: product.id, ids: [row.channel_id] });
  }
  await markProcessed(tx, row.id, 'channel_state');
}

async function receiveInbound(
  context: AppContext,
  tx: Tx,
  { row, item }: { row: InboxRow; item: HookItem },
): Promise<void> {
  if (row.channel_id === null || row.chat_id === null) return markProcessed(tx, row.id, 'no_chat');
  if (item.isGroup) return markProcessed(tx, row.id, 'group');
  const text = displayText(item);
  if (text === '') return markProcessed(tx, row.id, 'no_text');
  const channel = await findChannel(tx, row.channel_id);
  if (!channel) return markProcessed(tx, row.id, 'channel_deleted');
  const dialogue = await findOrCreateLeadDialogue(tx, { channel, chatId: row.chat_id, item });
  if (!dialogue) return markProcessed(tx, row.id, 'no_product');
  const at = earlierOf(item.occurredAt, row.received_at);
  const messageId = await insertMessageOnce(tx, {
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
  if (messageId === null) return markProcessed(tx, row.id, 'duplicate');
  failpoint('receive.afterInsert');
  const isStale = Date.parse(row.received_at) - Date.parse(at) > MAX_AGE_MS;
  // A notice was not written by the lead. A call, or a message a day old, starts no turn; earlier questions are still
  // answered.
  const isTurn = !item.isSilent && !isStale;
  const needsReply = item.mediaKind === SYSTEM_NOTICE ? false : await applyInboundToLead(tx, dialogue, text);
  const willAnswer = isTurn && needsReply;
  const debounceSeconds = willAnswer ? context.config.replyDebounceSeconds : null;
  const inboundKind =
    item.mediaKind === SYSTEM_NOTICE ? 'notice' : isTurn ? { answerAfterSeconds: debounceSeconds } : 'sign';
  await recordInbound(tx, { id: dialogue.id, message: { id: messageId, at, preview: previewOf(text) }, inboundKind });
  const cancelledIds = await cancelStaleReplies(tx, dialogue, inboundKind);
  await markProcessed(tx, row.id, { note: 'message', messageId });
  logAfterCommit(
    tx,
    { item: row.id, message: messageId, dialogue: dialogue.id, answered: willAnswer, voided: cancelledIds },
    'received',
  );
  notify(tx, { topic: 'message', product: dialogue.product_id, ids: [messageId, ...cancelledIds] });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** Cancel scheduled messages that the lead's message made stale. Returns their ids. */
async function cancelStaleReplies(tx: Tx, dialogue: DialogueRow, inboundKind: InboundKind): Promise<number[]> {
  if (inboundKind === 'notice') return [];
  return inboundKind === 'sign'
    ? cancelFollowUps(tx, dialogue.id, LEAD_WROTE_AGAIN)
    : cancelScheduledBotMessages(tx, {
        dialogueId: dialogue.id,
        reason: LEAD_WROTE_AGAIN,
        turnsBefore: dialogue.turn + 1,
      });
}

const earlierOf = (vendor: string | null, received: string): string =>
  vendor !== null && vendor < received ? vendor : received;

/** Return a chat's dialogue, locked. Creates one if a known contact writes first, or anyone on an inbound channel. */
async function findOrCreateLeadDialogue(
  tx: Tx,
  { channel, chatId, item }: { channel: ChannelRow; chatId: string; item: HookItem },
): Promise<DialogueRow | null> {
  const rawAddress = item.address ?? chatId;
  const address = normaliseAddress(channel.channel_type, rawAddress) ?? `id:${chatId}`;
  const existing = await findOrCreateDialogue(tx, { channel, chatId, address });
  if (existing) return existing;
  const product = await selectInboundProduct(tx, channel.id);
  if (!product) return null;
  const { leadId, contactId } = await createLeadWithContact(tx, {
    productId: product.id,
    name: item.name?.trim().slice(0, 300) || rawAddress,
    stage: 'ongoing',
    contact: rawAddress,
    type: channel.channel_type,
    address,
  });
  notify(tx, { topic: 'lead', product: product.id, ids: [leadId] });
  return createDialogue(tx, { productId: product.id, contactId, channelId: channel.id, chatId, address });
}

/**
 * Apply an inbound message to the lead and the dialogue's owner. Returns whether the bot must reply to a recent
 * message.
 */
async function applyInboundToLead(tx: Tx, dialogue: DialogueRow, text: string): Promise<boolean> {
  const dialogueContext = await findDialogueContext(tx, dialogue.id);
  const lead = dialogueContext ? await lockLead(tx, dialogueContext.lead_id) : undefined;
  if (!lead) return false;
  if (isOptOut(text)) {
    await deactivate(tx, { id: lead.id, by: 'lead', cancelPending, optOut: true });
    return false;
  }
  if (isFinalStage(lead.stage) && dialogue.owner === 'bot') {
    await handOverDialogue(tx, dialogue, { code: 'writes_again' });
    return false;
  }
  const stage = stageAfterInbound(lead.stage);
  if (stage !== lead.stage) await changeStage(tx, { id: lead.id, stage, by: 'lead wrote', cancelPending });
  const isProductActive = (await readProduct(tx, dialogue.product_id))?.is_active ?? false;
  return botBlockReason({ lead: { ...lead, stage }, isProductActive, owner: dialogue.owner }, 'answer') === null;
}
