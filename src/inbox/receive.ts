/**
 * Processes stored hook items: messages of leads, in dialogues with a turn for the bot; messages that others sent in our
 * name; statuses that say more than a status; a channel's state.
 */

import { type HookItem, REFRESH_SESSIONS } from '../channels/driver.ts';
import { requestAccountPoll, selectInboundProduct, setChannelState } from '../channels/store.ts';
import type { NamedChat } from '../conversations/dialogueOfChat.ts';
import { createDialogue, findDialogueOfChat, findOrCreateDialogue } from '../conversations/findOrCreateDialogue.ts';
import { displayText } from '../conversations/message.ts';
import { doubtOptOut, optOut } from '../conversations/optOut.ts';
import { cancelPending, handOverDialogue } from '../conversations/ownership.ts';
import { linkDialogues, lockAddresses } from '../conversations/store/chats.ts';
import { TURNS_SWEEP } from '../conversations/store/dialogues.ts';
import type { DialogueRow } from '../conversations/store/tables.ts';
import { loadConversations } from '../engine/postgres/load.ts';
import { changeStages } from '../leads/changeStage.ts';
import { createLeadWithContact } from '../leads/createLead.ts';
import { setMessagesOfOptOuts } from '../leads/store/optOuts.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { withTrace } from '../platform/trace.ts';
import { decideInbound, findNotPerson, type InboundDecision, type LeadChange } from './decideInbound.ts';
import { toNamedChat } from './namedChat.ts';
import { receiveChange } from './receiveChange.ts';
import { receiveOutgoing } from './receiveOutgoing.ts';
import { receiveStatus } from './statuses.ts';
import {
  claimItems,
  findOpenItems,
  findReportedMessages,
  type ItemFacts,
  type LoadedChat,
  loadChat,
  loadItems,
} from './store/chats.ts';
import { deferItem, markProcessed } from './store/items.ts';
import { type StoredInbound, storeInbound } from './storeInbound.ts';

/** Longest error text kept with an item, characters. */
const MAX_ERROR_LENGTH = 300;

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
const isChange = ({ kind }: ItemFacts): boolean => kind === 'edit' || kind === 'deletion';

async function receiveBatch(context: AppContext, tx: Tx, ids: readonly number[] | null): Promise<number> {
  const claimed = await claimItems(tx, ids);
  if (claimed.length === 0) return 0;
  let items = await loadItems(tx, claimed);
  for (const { kind } of items) countAfterCommit(tx, 'received', { kind });
  const count = items.length;
  const others = items.filter((item) => !isFromLead(item) && !isChange(item));
  if (others.length > 1) {
    const ids = others.map(({ id }) => id);
    // In one order: reports are applied in the order of the items.
    await loadConversations(tx, await findReportedMessages(tx, ids));
  }
  // First, since a person who has written in our name may have taken a dialogue over.
  for (const item of others) await withTrace(item.trace, () => receiveOther(context, tx, item));
  if (others.length > 0) items = others.length < items.length ? await loadItems(tx, claimed) : [];
  const messages = await findOrCreateChats(tx, items.filter(isFromLead));
  if (messages.length > 0) await receiveMessages(context, tx, messages);
  // Last, since a message that is changed may be one of these.
  for (const item of items.filter(isChange)) await withTrace(item.trace, () => receiveChange(context, tx, item));
  return count;
}

/** Store messages of leads, whose chats are locked, and what they mean. */
async function receiveMessages(context: AppContext, tx: Tx, messages: readonly ItemFacts[]): Promise<void> {
  const decision = decideInbound(messages, { debounceSeconds: context.config.replyDebounceSeconds });
  const recorded = await changeLeads(context, tx, decision.leads);
  // The poll may come later than a short debounce.
  for (const { answer_after: seconds } of decision.dialogues)
    if (seconds !== null) wakeSweep(tx, TURNS_SWEEP, seconds * 1000);
  for (const { dialogue_id: id, product_id: product } of decision.messages)
    notify(tx, { topic: 'dialogue', product, ids: [id] });
  const outcome = await storeInbound(tx, messages, decision);
  const messagesOfOptOuts = [...recorded].map(([id, item]) => [id, outcome.stored.get(item) ?? 0] as const);
  await setMessagesOfOptOuts(tx, new Map(messagesOfOptOuts.filter(([, message]) => message > 0)));
  failpoint('receive.afterInsert');
  report(tx, decision, outcome);
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

/**
 * Find the dialogues of chats that are not known by the messenger's id yet, or not by every id that a message names, or
 * create them for who may write to us.
 */
async function findOrCreateChats(tx: Tx, items: readonly ItemFacts[]): Promise<ItemFacts[]> {
  const found = new Map<string, LoadedChat>();
  const strangers: ItemFacts[] = [];
  const keyOf = ({ channel_id: channel, chat_id: chatId }: ItemFacts) => `${channel} ${chatId}`;
  for (const facts of items) {
    const named = namedChat(facts);
    if (named === null) continue;
    const { channel, chat } = named;
    const dialogue = await findDialogueOfChat(tx, { channel, chat, evidence: 'message' });
    const existing = dialogue && (await loadChat(tx, dialogue.id));
    if (existing) found.set(keyOf(facts), existing);
    else if (!facts.chat) strangers.push(facts);
  }
  // All at once, in one order: two workers may have the first messages of the same strangers.
  await lockAddresses(
    tx,
    strangers.flatMap(({ channel, item }) =>
      ((item as HookItem).addresses ?? []).map((address) => ({ channelId: channel?.id ?? 0, address })),
    ),
  );
  for (const facts of strangers) {
    const named = namedChat(facts);
    // Of the messages of an unknown chat, a later one may name an address that is known.
    if (named === null || found.has(keyOf(facts))) continue;
    const dialogue = await findOrCreateLeadDialogue(tx, { ...named, item: facts.item as HookItem });
    const created = dialogue && (await loadChat(tx, dialogue.id));
    if (created) found.set(keyOf(facts), created);
  }
  return items.map((facts) => ({ ...facts, chat: found.get(keyOf(facts)) ?? facts.chat }));
}

/** Return the chat of a message of a person whose ids are not all recorded; null if there is nothing to record. */
function namedChat(facts: ItemFacts): { channel: NonNullable<ItemFacts['channel']>; chat: NamedChat } | null {
  const { channel, chat_id: chatId, is_known: isKnown, is_linked: isLinked } = facts;
  const item = facts.item as HookItem;
  if (!channel || chatId === null || isKnown || isLinked) return null;
  if (findNotPerson(item, channel.number) !== null || displayText(item) === '') return null;
  return { channel, chat: toNamedChat(chatId, item) };
}

/**
 * Return a chat's dialogue, locked. Creates one if a known contact writes first, or anyone on an inbound channel. Who
 * writes under an address that was another chat's is a new lead, known by the chat alone.
 */
async function findOrCreateLeadDialogue(
  tx: Tx,
  { channel, chat, item }: { channel: NonNullable<ItemFacts['channel']>; chat: NamedChat; item: HookItem },
): Promise<DialogueRow | null> {
  const { dialogue: existing, previous } = await findOrCreateDialogue(tx, { channel, chat, evidence: 'message' });
  if (existing) return existing;
  const product = await selectInboundProduct(tx, channel.id);
  if (!product) return null;
  const visible = item.address ?? chat.chatId;
  const [ownAddress = `id:${chat.chatId}`] = chat.addresses;
  const address = previous.length > 0 ? `id:${chat.chatId}` : ownAddress;
  const { leadId, contactId } = await createLeadWithContact(tx, {
    productId: product.id,
    name: item.name?.trim().slice(0, 300) || visible,
    stage: 'ongoing',
    contact: visible,
    type: channel.channel_type,
    address,
  });
  notify(tx, { topic: 'lead', product: product.id, ids: [leadId] });
  const dialogue = await createDialogue(tx, {
    channel,
    chat,
    evidence: 'message',
    productId: product.id,
    contactId,
    address,
  });
  for (const { id: dialogueId, address: detail } of previous)
    await linkDialogues(tx, { dialogueId, otherId: dialogue.id, kind: 'address_moved', evidence: 'message', detail });
  return dialogue;
}

/** Apply what messages change in leads. Returns the item of each wish that was recorded. */
async function changeLeads(
  context: AppContext,
  tx: Tx,
  changes: readonly LeadChange[],
): Promise<ReadonlyMap<number, number>> {
  const recorded = new Map<number, number>();
  const stages = changes.flatMap((change) =>
    change.kind === 'stage' ? [{ id: change.leadId, stage: change.stage }] : [],
  );
  await changeStages(tx, { changes: stages, by: 'lead wrote', cancelPending });
  for (const change of changes) {
    if (change.kind === 'opt_out' || change.kind === 'doubt') {
      const { leadId, dialogueId, item } = change;
      const about = { leadId, dialogueId, source: 'words' } as const;
      const id =
        change.kind === 'opt_out'
          ? await optOut(tx, context, { ...about, by: 'lead' })
          : await doubtOptOut(tx, context, about);
      if (id !== null) recorded.set(id, item);
    }
    if (change.kind === 'hand_over')
      await handOverDialogue(tx, { id: change.dialogueId, product_id: change.productId }, change.reason);
  }
  return recorded;
}

/** Log what was received, and what it cancelled. */
function report(tx: Tx, { messages, answered }: InboundDecision, { stored, cancelled }: StoredInbound): void {
  for (const { item, dialogue_id: dialogue, trace } of messages) {
    const message = stored.get(item) ?? 0;
    const voided = cancelled.filter((one) => one.dialogueId === dialogue).map(({ id }) => id);
    logAfterCommit(
      tx,
      { ...(trace === null ? {} : { trace }), item, message, dialogue, answered: answered.get(item) ?? false, voided },
      'received',
    );
  }
}
