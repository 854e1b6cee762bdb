/** Actions at the phones: the lead writes, a person answers at the business phone, messages are edited. */
import { randomUUID } from 'node:crypto';
import { chatIdFor, groupChatType, isDigits, normaliseAddress, personChatType } from './addresses.ts';
import { chatpushMessage, messageIdAtChatpush } from './chatpush/webhooks.ts';
import type { Channel, ChannelState, Notice, PhoneMessage, Typed, Write } from './contract.ts';
import type { EntryDraft } from './entries.ts';
import { ImpossibleActionError } from './errors.ts';
import { messageOf, type TypedDraft } from './messages.ts';
import type { Parts } from './parts.ts';
import { inboundItem, outgoingItem } from './wazzup24/items.ts';

interface Written {
  messageIds: string[];
  chatId: string;
  /** False if the account has no hook address or does not subscribe to messages, so that no hook is sent. */
  hooked: boolean;
}

/** Write one message as the lead, or several that arrive in one hook. */
export function writeAsLead(parts: Parts, rawAddress: string, write: Write): Written {
  const place = placeOf(parts, write.channelId, rawAddress);
  const { vendor, channel, address } = place;
  const name = write.name ?? place.name;
  const chatId = write.chatId ?? place.chatId;
  const chatType = write.chatType ?? place.chatType;
  if (chatType !== place.chatType && chatType !== groupChatType(channel.transport))
    throw new ImpossibleActionError(`A ${channel.transport} channel has no chats of type ${chatType}.`);
  const entries = (write.messages ?? [write]).map(
    (one, index): TypedDraft => ({
      ...entryOf(place),
      kind: 'inbound',
      chatType,
      chatId,
      messageId: one.messageId ?? newMessageId(parts, place, { chatId, outgoing: false, index }),
      type: one.type ?? 'text',
      text: one.text,
      contentUri: one.contentUri,
      writtenAt: one.at === undefined ? parts.clock.iso() : new Date(one.at).toISOString(),
      name,
    }),
  );
  const of = { address, name, hidden: write.hiddenPhone ?? false, deliveryId: null };
  return record(parts, place, entries, (messages) =>
    vendor === 'chatpush'
      ? messages.flatMap((one) => chatpushMessage(parts, one, of))
      : parts.hooks.enqueue(place.account, `${channel.channelId} ${chatId}`, {
          messages: messages.map((one) => inboundItem(one, address, name)),
        }),
  );
}

/** Write to the lead as a person at the business phone, or in the vendor's window. */
export function writeAsOperator(parts: Parts, rawAddress: string, typed: Typed): Written {
  const place = placeOf(parts, typed.channelId, rawAddress);
  const { vendor, channel, address, name, chatId } = place;
  const entry: TypedDraft = {
    ...entryOf(place),
    kind: 'typed',
    messageId: newMessageId(parts, place, { chatId, outgoing: true, index: 0 }),
    type: 'text',
    text: typed.text,
    writtenAt: parts.clock.iso(),
    sentFromApp: typed.sentFromApp ?? false,
  };
  // Far above our own deliveries' numbers, so that another program's are never among them.
  const deliveryId = typed.otherSystem === true ? String(900_000_000 + parts.state.messages.size) : null;
  const flags = { isEcho: typed.isEcho ?? true, sentFromApp: typed.sentFromApp, authorName: typed.authorName };
  return record(parts, place, [entry], (messages) =>
    messages.flatMap((one) =>
      vendor === 'chatpush'
        ? chatpushMessage(parts, one, { address, name, hidden: false, deliveryId })
        : parts.hooks.enqueue(place.account, `${channel.channelId} ${chatId}`, {
            messages: [outgoingItem(one, address, name, flags)],
          }),
    ),
  );
}

function record(
  parts: Parts,
  place: Place,
  entries: readonly TypedDraft[],
  hooksOf: (messages: PhoneMessage[]) => EntryDraft[],
): Written {
  const hooks = hooksOf(entries.map((entry) => messageOf(entry, parts.clock.iso())));
  parts.hooks.append(...entries, ...hooks);
  const chatId = entries[0]?.chatId ?? place.chatId;
  return { messageIds: entries.map(({ messageId }) => messageId), chatId, hooked: hooks.length > 0 };
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

function newMessageId(
  parts: Parts,
  { vendor, channel }: Place,
  of: { chatId: string; outgoing: boolean; index: number },
): string {
  return vendor === 'chatpush' ? messageIdAtChatpush(parts, channel, of) : randomUUID();
}

function channelOf(state: Parts['state'], channelId: string) {
  const existing = state.channels.get(channelId);
  if (existing === undefined) throw new ImpossibleActionError(`There is no channel ${channelId}.`);
  return existing;
}
