/** Actions at the phones: the lead writes, a person answers at the business phone, messages are edited. */
import { randomUUID } from 'node:crypto';
import { chatIdFor, groupChatType, isDigits, normaliseAddress, personChatType, privacyIdFor } from './addresses.ts';
import { chatpushMessage, messageIdAtChatpush } from './chatpush/webhooks.ts';
import type { Channel, ChannelState, Notice, PhoneMessage, Typed, Write } from './contract.ts';
import { ImpossibleActionError } from './errors.ts';
import { messageOf, type TypedDraft } from './messages.ts';
import type { Parts } from './parts.ts';
import { inboundItem, outgoingItem } from './wazzup24/items.ts';

/** Write one message as the lead. */
export function writeAsLead(parts: Parts, rawAddress: string, write: Write) {
  const place = placeOf(parts, write.channelId, rawAddress);
  const { channel, address } = place;
  const ownChatId = write.privacyId ? privacyIdFor(address) : place.chatId;
  const { name = place.name, chatId = ownChatId, chatType = place.chatType, type = 'text' } = write;
  const shownAs = write.shownAs === undefined ? address : normaliseAddress(write.shownAs);
  const { text, contentUri, at, hiddenPhone: hidden = false } = write;
  if (chatType !== place.chatType && chatType !== groupChatType(channel.transport))
    throw new ImpossibleActionError(`A ${channel.transport} channel has no chats of type ${chatType}.`);
  const messageId = write.messageId ?? newMessageId(parts, place, { chatId, outgoing: false });
  const writtenAt = at === undefined ? parts.clock.iso() : new Date(at).toISOString();
  const content = { type, text, contentUri, writtenAt, name };
  const entry: TypedDraft = { ...entryOf(place), kind: 'inbound', chatType, chatId, messageId, ...content };
  return record(parts, place, entry, {
    chatpush: { address: shownAs, name, hidden, deliveryId: null },
    wazzup24: (message) => inboundItem(message, shownAs, name, hidden),
  });
}

/** Write to the lead as a person at the business phone, or in the vendor's window. */
export function writeAsOperator(parts: Parts, rawAddress: string, typed: Typed) {
  const place = placeOf(parts, typed.channelId, rawAddress);
  const { address, name, chatId } = place;
  const { text, isEcho = true, sentFromApp = false, authorName } = typed;
  const messageId = newMessageId(parts, place, { chatId, outgoing: true });
  const content = { type: 'text' as const, text, writtenAt: parts.clock.iso(), sentFromApp };
  // Far above our own deliveries' numbers, so that another program's are never among them.
  const deliveryId = typed.otherSystem === true ? String(900_000_000 + parts.state.messages.size) : null;
  const flags = { isEcho, sentFromApp: sentFromApp || undefined, authorName };
  return record(
    parts,
    place,
    { ...entryOf(place), kind: 'typed', messageId, ...content },
    {
      chatpush: { address, name, hidden: false, deliveryId },
      wazzup24: (message) => outgoingItem(message, address, name, flags),
    },
  );
}

interface Reports {
  readonly chatpush: Parameters<typeof chatpushMessage>[2];
  readonly wazzup24: (message: PhoneMessage) => object;
}

/** Store the message and queue its hook. `hooked` is false if the account has no address or does not subscribe. */
function record(parts: Parts, place: Place, entry: TypedDraft, { chatpush, wazzup24 }: Reports) {
  const { messageId, chatId } = entry;
  const message = messageOf(entry, parts.clock.iso());
  const lane = `${place.channel.channelId} ${chatId}`;
  const hooks =
    place.vendor === 'chatpush'
      ? chatpushMessage(parts, message, chatpush)
      : parts.hooks.enqueue(place.account, lane, { messages: [wazzup24(message)] });
  parts.hooks.append(entry, ...hooks);
  return { messageIds: [messageId], chatId, hooked: hooks.length > 0 };
}

/** Edit or delete a message as the lead; the notice contains the previous text. */
export function amendLeadMessage({ state, hooks }: Parts, rawAddress: string, { messageId, text }: Notice): void {
  const { address, message } = state.messages.get(messageId) ?? {};
  if (message === undefined || address !== normaliseAddress(rawAddress) || message.author !== 'lead')
    throw new ImpossibleActionError('This phone wrote no such message.');
  if (state.channels.get(message.channelId)?.vendor === 'chatpush')
    throw new ImpossibleActionError('ChatPush does not report edits.');
  const name = state.phones.get(address)?.name ?? address;
  const item = {
    ...inboundItem(text === undefined ? message : { ...message, text }, address, name),
    ...(text === undefined ? { isDeleted: true } : { isEdited: true }),
    oldInfo: { oldText: message.text ?? '' },
  };
  hooks.append(
    text === undefined ? { kind: 'deleted', messageId } : { kind: 'edited', messageId, text },
    ...hooks.enqueue(message.account, `${message.channelId} ${message.chatId}`, { messages: [item] }),
  );
}

/** Change a channel's state, as when the phone goes offline, and notify the account. */
export function changeChannelState({ state, hooks, clock }: Parts, channelId: string, change: ChannelState): void {
  const { account, vendor } = channelOf(state, channelId);
  if (vendor === 'chatpush') throw new ImpossibleActionError('A session of ChatPush changes with its account.');
  const picture = change.state === 'qr' ? { qr: PAIRING_PICTURE } : {};
  const update = { channelId, state: change.state, timestamp: clock.now(), ...picture };
  hooks.append(
    { kind: 'channel_state', account, channelId, change },
    ...hooks.enqueue(account, `channel ${channelId}`, { channelsUpdates: [update] }),
  );
}

/** One white pixel in the wire shape of a pairing picture; there is nothing to scan. */
const PAIRING_PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Where a phone and a channel meet. */
interface Place {
  readonly account: string;
  readonly vendor: 'wazzup24' | 'chatpush';
  readonly channel: Channel;
  readonly address: string;
  readonly name: string;
  readonly chatId: string;
  readonly chatType: string;
}

function placeOf({ state }: Parts, channelId: string, rawAddress: string): Place {
  const { account, vendor, channel } = channelOf(state, channelId);
  const address = normaliseAddress(rawAddress);
  if (address === '') throw new ImpossibleActionError('A phone needs an address.');
  const chatType = personChatType(channel.transport);
  if (chatType === 'whatsapp' && !isDigits(address))
    throw new ImpossibleActionError(`${address} is no phone number, so it cannot write on ${channel.transport}.`);
  const name = state.phones.get(address)?.name ?? address;
  return { account, vendor, channel, address, name, chatId: chatIdFor(channel.transport, address), chatType };
}

const entryOf = ({ vendor, account, channel, address, chatId, chatType }: Place) => {
  return { vendor, account, channelId: channel.channelId, address, chatId, chatType };
};

function newMessageId(parts: Parts, { vendor, channel }: Place, of: { chatId: string; outgoing: boolean }): string {
  return vendor === 'chatpush' ? messageIdAtChatpush(parts, channel, of) : randomUUID();
}

function channelOf(state: Parts['state'], channelId: string) {
  const existing = state.channels.get(channelId);
  if (existing === undefined) throw new ImpossibleActionError(`There is no channel ${channelId}.`);
  return existing;
}
