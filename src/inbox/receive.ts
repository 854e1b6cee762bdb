/**
 * Processes stored hook items: messages of leads, in dialogues with a turn for the bot; messages that others sent in our
 * name; statuses that say more than a status; a channel's state.
 */

import { type HookItem, REFRESH_SESSIONS } from '../channels/driver.ts';
import { type ChannelRow, requestAccountPoll, selectInboundProduct, setChannelState } from '../channels/store.ts';
import { createDialogue, findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { displayText } from '../conversations/message.ts';
import { optOut } from '../conversations/optOut.ts';
import { cancelPending, handOverDialogue } from '../conversations/ownership.ts';
import { TURNS_SWEEP } from '../conversations/store/dialogues.ts';
import type { DialogueRow } from '../conversations/store/tables.ts';
import { normaliseAddress } from '../leads/address.ts';
import { changeStages } from '../leads/changeStage.ts';
import { createLeadWithContact } from '../leads/createLead.ts';
import { blockReasonText } from '../leads/lead.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { withTrace } from '../platform/trace.ts';
import { decideInbound, type InboundDecision, type LeadChange } from './decideInbound.ts';
import { receiveOutgoing } from './receiveOutgoing.ts';
import { receiveStatus } from './statuses.ts';
import {
  type ChatFacts,
  claimItems,
  findOpenItems,
  type ItemFacts,
  loadChat,
  loadItems,
  lockReportedMessages,
  storeInbound,
} from './store/chats.ts';
import { deferItem, markProcessed } from './store/items.ts';

/** Longest error text kept with an item, characters. */
const MAX_ERROR_LENGTH = 300;

const LEAD_WROTE_AGAIN = blockReasonText({ code: 'newer_message' });

/**
 * Process items in one transaction: those that are due if `ids` is null. Returns how many. If it fails, each half is
 * tried by itself, until the item that cannot be processed is alone: it is tried again later, and does not block the
 * others.
 */
export async function receiveItems(context: AppContext, ids: readonly number[] | null): Promise<number> {
  try {
    const count = await context.transact((tx) => receiveBatch(context, tx, ids));
    failpoint('receive.afterCommit');
    return count;
  } catch (error) {
    // The items are fine: all of them are processed again when the database is available.
    if (isUnavailable(error)) throw error;
    const all = ids ?? (await findOpenItems(context.reader));
    const [id] = all;
    if (id === undefined) return 0;
    if (all.length > 1) {
      const middle = Math.ceil(all.length / 2);
      return (await receiveItems(context, all.slice(0, middle))) + (await receiveItems(context, all.slice(middle)));
    }
    const reason = error instanceof Error ? error.message.slice(0, MAX_ERROR_LENGTH) : 'It could not be worked on';
    const pauseSeconds = context.config.retryBaseSeconds;
    const attempts = await deferItem(context.reader, { id, error: reason, pauseSeconds });
    context.log.error({ item: id, attempts, reason }, 'an item of a hook could not be worked on');
    return 0;
  }
}

const isFromLead = ({ kind, status }: ItemFacts): boolean => kind === 'message' && status === 'inbound';

async function receiveBatch(context: AppContext, tx: Tx, ids: readonly number[] | null): Promise<number> {
  const claimed = await claimItems(tx, ids);
  if (claimed.length === 0) return 0;
  let items = await loadItems(tx, claimed);
  for (const { kind } of items) countAfterCommit(tx, 'received', { kind });
  const count = items.length;
  const others = items.filter((item) => !isFromLead(item));
  if (others.length > 1)
    await lockReportedMessages(
      tx,
      others.map(({ id }) => id),
    );
  // First, since a person who has written in our name may have taken a dialogue over.
  for (const item of others) await withTrace(item.trace, () => receiveOther(context, tx, item));
  if (others.length > 0) items = others.length < items.length ? await loadItems(tx, claimed) : [];
  const messages = await findOrCreateChats(tx, items.filter(isFromLead));
  if (messages.length === 0) return count;
  const decision = decideInbound(messages, { debounceSeconds: context.config.replyDebounceSeconds });
  await changeLeads(tx, decision.leads);
  // The poll may come later than a short debounce.
  for (const { answer_after: seconds } of decision.dialogues)
    if (seconds !== null) wakeSweep(tx, TURNS_SWEEP, seconds * 1000);
  for (const { dialogue_id: id, product_id: product } of decision.messages)
    notify(tx, { topic: 'dialogue', product, ids: [id] });
  const outcome = await storeInbound(tx, { ...decision, cancelReason: LEAD_WROTE_AGAIN });
  failpoint('receive.afterInsert');
  report(tx, decision, outcome);
  return count;
}

async function receiveOther(context: AppContext, tx: Tx, row: ItemFacts): Promise<void> {
  const item = row.item as HookItem;
  if (row.kind === 'channel') return receiveChannelState(tx, row, item);
  if (row.kind === 'status') return receiveStatus(tx, row, item);
  return receiveOutgoing(tx, { row, item, parkSeconds: context.config.echoGraceSeconds });
}

async function receiveChannelState(tx: Tx, row: ItemFacts, item: HookItem): Promise<void> {
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

/** Find the dialogues of chats that are not known by their vendor's id, or create them for who may write to us. */
async function findOrCreateChats(tx: Tx, items: readonly ItemFacts[]): Promise<ItemFacts[]> {
  const found = new Map<string, ChatFacts>();
  const all: ItemFacts[] = [];
  for (const facts of items) {
    const { channel, chat_id: chatId, chat, is_known: isKnown } = facts;
    const item = facts.item as HookItem;
    if (chat || !channel || chatId === null || isKnown || item.isGroup || displayText(item) === '') {
      all.push(facts);
      continue;
    }
    const key = `${channel.id} ${chatId}`;
    let existing = found.get(key) ?? null;
    // Of the messages of an unknown chat, a later one may name an address that is known.
    if (!existing) {
      const dialogue = await findOrCreateLeadDialogue(tx, { channel, chatId, item });
      existing = dialogue && (await loadChat(tx, dialogue.id));
      if (existing) found.set(key, existing);
    }
    all.push({ ...facts, chat: existing });
  }
  return all;
}

/** Return a chat's dialogue, locked. Creates one if a known contact writes first, or anyone on an inbound channel. */
async function findOrCreateLeadDialogue(
  tx: Tx,
  { channel, chatId, item }: { channel: Pick<ChannelRow, 'id' | 'channel_type'>; chatId: string; item: HookItem },
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

async function changeLeads(tx: Tx, changes: readonly LeadChange[]): Promise<void> {
  const stages = changes.flatMap((change) =>
    change.kind === 'stage' ? [{ id: change.leadId, stage: change.stage }] : [],
  );
  await changeStages(tx, { changes: stages, by: 'lead wrote', cancelPending });
  for (const change of changes) {
    if (change.kind === 'opt_out') await optOut(tx, { leadId: change.leadId, by: 'lead' });
    if (change.kind === 'hand_over')
      await handOverDialogue(tx, { id: change.dialogueId, product_id: change.productId }, { code: 'writes_again' });
  }
}

/** Log what was received, and tell the consoles what was cancelled. */
function report(
  tx: Tx,
  { messages, answered }: InboundDecision,
  { stored, cancelled }: Awaited<ReturnType<typeof storeInbound>>,
): void {
  for (const { item, dialogue_id: dialogue, product_id: product, trace } of messages) {
    const message = stored.get(item) ?? 0;
    const voided = cancelled.filter((one) => one.dialogue_id === dialogue).map(({ id }) => id);
    logAfterCommit(
      tx,
      { ...(trace === null ? {} : { trace }), item, message, dialogue, answered: answered.get(item) ?? false, voided },
      'received',
    );
    if (voided.length > 0) notify(tx, { topic: 'message', product, ids: voided });
  }
}
