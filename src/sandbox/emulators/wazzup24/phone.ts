/** Actions at the phones: the lead writes, a person answers at the business phone, messages are edited. */
import { randomUUID } from 'node:crypto';
import { chatIdFor, groupChatType, isDigits, isOpaque, normaliseAddress, personChatType } from '../addresses.ts';
import { chatpushMessage, messageIdAtChatpush } from '../chatpush/webhooks.ts';
import type { Channel, ChannelState, Notice, Phone, PhoneMessage, Receipt, Typed, Write } from '../contract.ts';
import type { EntryDraft, EntryOf } from '../entries.ts';
import { isStatusAdvance } from '../state.ts';
import type { World } from '../world.ts';
import { inboundItem, outgoingItem } from './items.ts';

/** An action that is not possible; its sentence is answered with 409 and shown beside the switches. */
export class ImpossibleActionError extends Error {}

/** An action on something that does not exist. */
export class NotFoundError extends Error {}

/** Write one message as the lead, or several that arrive in one hook. */
export function writeAsLead(
  world: World,
  rawAddress: string,
  write: Write,
): { messageIds: string[]; chatId: string; hooked: boolean } {
  const { account, vendor, channel } = channelOf(world, write.channelId);
  const address = reachable(channel, rawAddress);
  const name = write.name ?? world.state.phones.get(address)?.name ?? address;
  const chatId = write.chatId ?? chatIdFor(channel.transport, address);
  const chatType = write.chatType ?? personChatType(channel.transport);
  if (chatType !== personChatType(channel.transport) && chatType !== groupChatType(channel.transport)) {
    throw new ImpossibleActionError(`A ${channel.transport} channel has no chats of type ${chatType}.`);
  }
  const entries = (write.messages ?? [write]).map((one, index): EntryDraft & { kind: 'inbound' } => ({
    kind: 'inbound',
    vendor,
    account,
    channelId: channel.channelId,
    chatType,
    address,
    chatId,
    messageId: one.messageId ?? newMessageId(world, vendor, channel, { chatId, outgoing: false, index }),
    type: one.type ?? 'text',
    text: one.text,
    contentUri: one.contentUri,
    quotedMessageId: one.quotedMessageId,
    writtenAt: one.at === undefined ? world.clock.iso() : new Date(one.at).toISOString(),
    name,
  }));
  const bubbles = entries.map((entry) => toPhoneMessage(entry, 'lead'));
  const of = { address, name, hidden: write.hiddenPhone ?? false, deliveryId: null };
  const drafts =
    vendor === 'chatpush'
      ? bubbles.flatMap((one) => chatpushMessage(world, one, of))
      : world.hooks.enqueue(account, `${channel.channelId} ${chatId}`, {
          messages: bubbles.map((one) => inboundItem(one, address, name)),
        });
  world.journal.append(...entries, ...drafts);
  world.hooks.deliver(drafts);
  return { messageIds: entries.map((entry) => entry.messageId), chatId, hooked: drafts.length > 0 };
}

/** Write to the lead as a person at the business phone, or in the vendor's window. */
export function writeAsOperator(
  world: World,
  rawAddress: string,
  typed: Typed,
): { messageIds: string[]; chatId: string; hooked: boolean } {
  const { account, vendor, channel } = channelOf(world, typed.channelId);
  const address = reachable(channel, rawAddress);
  const chatId = chatIdFor(channel.transport, address);
  const entry: EntryDraft & { kind: 'typed' } = {
    kind: 'typed',
    vendor,
    account,
    channelId: channel.channelId,
    chatType: personChatType(channel.transport),
    address,
    chatId,
    messageId: typed.messageId ?? newMessageId(world, vendor, channel, { chatId, outgoing: true, index: 0 }),
    type: 'text',
    text: typed.text,
    writtenAt: world.clock.iso(),
    sentFromApp: typed.sentFromApp ?? false,
  };
  const name = world.state.phones.get(address)?.name ?? address;
  const item = outgoingItem(toPhoneMessage(entry, 'operator'), address, name, {
    isEcho: typed.isEcho ?? true,
    sentFromApp: typed.sentFromApp,
    authorName: typed.authorName,
  });
  // Far above our own deliveries' numbers, so that another program's are never among them.
  const deliveryId = typed.otherSystem === true ? String(900_000_000 + world.state.messages.size) : null;
  const drafts =
    vendor === 'chatpush'
      ? chatpushMessage(world, toPhoneMessage(entry, 'operator'), { address, name, hidden: false, deliveryId })
      : world.hooks.enqueue(account, `${channel.channelId} ${chatId}`, { messages: [item] });
  world.journal.append(entry, ...drafts);
  world.hooks.deliver(drafts);
  return { messageIds: [entry.messageId], chatId, hooked: drafts.length > 0 };
}

/** Edit or delete a message as the lead; the notice contains the previous text. */
export function amendLeadMessage(world: World, rawAddress: string, notice: Notice): void {
  const existing = world.state.messages.get(notice.messageId);
  if (existing !== undefined && world.state.channels.get(existing.message.channelId)?.vendor === 'chatpush')
    throw new ImpossibleActionError('ChatPush does not tell of edits.');
  if (
    existing === undefined ||
    existing.address !== normaliseAddress(rawAddress) ||
    existing.message.author !== 'lead'
  ) {
    throw new ImpossibleActionError('This phone wrote no such message.');
  }
  const { address, message } = existing;
  const name = world.state.phones.get(address)?.name ?? address;
  const isDeletion = notice.text === undefined;
  const item = {
    ...inboundItem(isDeletion ? message : { ...message, text: notice.text }, address, name),
    ...(isDeletion ? { isDeleted: true } : { isEdited: true }),
    oldInfo: { oldText: message.text ?? '' },
  };
  const drafts = world.hooks.enqueue(message.account, `${message.channelId} ${message.chatId}`, { messages: [item] });
  const { messageId } = message;
  world.journal.append(
    notice.text === undefined ? { kind: 'deleted', messageId } : { kind: 'edited', messageId, text: notice.text },
    ...drafts,
  );
  world.hooks.deliver(drafts);
}

/** Set the status of our messages on this phone; returns how many changed. */
export function reportStatuses(world: World, rawAddress: string, receipt: Receipt): number {
  const messages = world.state.phones.get(normaliseAddress(rawAddress))?.messages ?? [];
  const concerned = messages.filter((message) => {
    if (message.author !== 'api') return false;
    if (receipt.channelId !== undefined && message.channelId !== receipt.channelId) return false;
    if (receipt.messageIds !== undefined) return receipt.messageIds.includes(message.messageId);
    return isStatusAdvance(message.status, receipt.status);
  });
  const code = receipt.status === 'error' ? (receipt.code ?? 'GENERAL_ERROR') : undefined;
  for (const message of concerned) world.receipts.record(message.messageId, { status: receipt.status, code });
  return concerned.length;
}

/** Change a channel's state, as when the phone goes offline, and notify the account. */
export function changeChannelState(world: World, channelId: string, change: ChannelState): void {
  const { account, vendor } = channelOf(world, channelId);
  if (vendor === 'chatpush') throw new ImpossibleActionError('A session of ChatPush changes with its account.');
  const picture = change.qr === true || change.state === 'qr' ? { qr: pairingPicture } : {};
  const tier = change.tier === undefined ? {} : { tier: change.tier };
  const update = { channelId, state: change.state, timestamp: world.clock.now(), ...picture, ...tier };
  const drafts = world.hooks.enqueue(account, `channel ${channelId}`, { channelsUpdates: [update] });
  world.journal.append({ kind: 'channel_state', account, channelId, change }, ...drafts);
  world.hooks.deliver(drafts);
}

/** Return every phone with its chats, the one with the latest message first. */
export function phones(world: World): Phone[] {
  return [...world.state.phones.values()]
    .map((phone) => ({ address: phone.address, name: phone.name, chats: chats(phone.messages) }))
    .toSorted((a, b) => lastAt(b).localeCompare(lastAt(a)));
}

function chats(messages: PhoneMessage[]): Phone['chats'] {
  const byChat = new Map<string, Phone['chats'][number]>();
  for (const message of messages) {
    const key = `${message.channelId} ${message.chatId}`;
    const { channelId, chatId } = message;
    const chat = byChat.get(key) ?? { channelId, chatId, messages: 0, unread: 0, lastAt: null, lastText: null };
    chat.messages += 1;
    if (message.author !== 'lead' && message.status !== 'read') chat.unread += 1;
    chat.lastAt = message.at;
    chat.lastText = message.text ?? null;
    byChat.set(key, chat);
  }
  return [...byChat.values()];
}

function lastAt(phone: Phone): string {
  return phone.chats.reduce((latest, chat) => ((chat.lastAt ?? '') > latest ? (chat.lastAt ?? '') : latest), '');
}

type ChannelRecord = { account: string; vendor: 'wazzup24' | 'chatpush'; channel: Channel };

function newMessageId(
  world: World,
  vendor: ChannelRecord['vendor'],
  channel: Channel,
  of: { chatId: string; outgoing: boolean; index: number },
): string {
  return vendor === 'chatpush' ? messageIdAtChatpush(world, channel, of) : randomUUID();
}

function channelOf(world: World, channelId: string): ChannelRecord {
  const existing = world.state.channels.get(channelId);
  if (existing === undefined) throw new ImpossibleActionError(`There is no channel ${channelId}.`);
  return existing;
}

function reachable(channel: Channel, rawAddress: string): string {
  const address = normaliseAddress(rawAddress);
  if (address === '') throw new ImpossibleActionError('A phone needs an address.');
  if (!isOpaque(channel.transport) && personChatType(channel.transport) === 'whatsapp' && !isDigits(address)) {
    throw new ImpossibleActionError(`${address} is no phone number, so it cannot write on ${channel.transport}.`);
  }
  return address;
}

function toPhoneMessage(
  entry: Omit<EntryOf<'inbound' | 'typed'>, 'kind' | 'seq' | 'at' | 'real'>,
  author: 'lead' | 'operator',
): PhoneMessage {
  const { account, channelId, chatId, chatType, messageId, type, text, contentUri, quotedMessageId } = entry;
  return {
    account,
    channelId,
    chatId,
    chatType,
    messageId,
    type,
    text,
    contentUri,
    quotedMessageId,
    author,
    at: entry.writtenAt,
    status: author === 'lead' ? 'inbound' : 'sent',
    edited: false,
    deleted: false,
  };
}

/** One white pixel in the wire shape of a pairing picture; there is nothing to scan. */
const pairingPicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
