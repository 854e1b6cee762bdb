/** Checks of `POST /v3/message` (fact sheet, section 4). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { chatIdFor, groupChatType, isDigits, isOpaque, normaliseAddress, personChatType } from '../addresses.ts';
import type { Channel, Fault, Transport } from '../contract.ts';
import { messageOf, type SentDraft } from '../messages.ts';
import type { Refusal } from '../messengerCalls.ts';
import { acceptedKey, isWritingAllowed, type State } from '../state.ts';
import type { World } from '../world.ts';
import { outgoingItem, refusal } from './items.ts';

const sendBodySchema = z.object({
  channelId: z.string(),
  chatType: z.string(),
  chatId: z.string().optional(),
  text: z.string().optional(),
  contentUri: z.url().optional(),
  crmUserId: z.string().optional(),
  crmMessageId: z.string().optional(),
  username: z.string().optional(),
  phone: z.string().optional(),
  clearUnanswered: z.boolean().optional(),
});
export type SendBody = z.infer<typeof sendBodySchema>;

/** A send that passed every check, and its recipient. */
export interface Accepted {
  account: string;
  channel: Channel;
  body: SendBody;
  to: string;
  chatId: string;
}

/** Parse the body; a missing field or one of the wrong type is INVALID_MESSAGE_DATA with its name. */
export function readSend(raw: unknown): SendBody | Refusal {
  const parsed = sendBodySchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const fields = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.') || 'body'))];
  return refusal('INVALID_MESSAGE_DATA', 'Some fields of the message are missing or wrong', { fields });
}

export function checkSend(state: State, account: string, body: SendBody): Accepted | Refusal {
  const { channelId, chatType } = body;
  const existing = state.channels.get(channelId);
  if (existing === undefined || existing.account !== account)
    return refusal('CHANNEL_NOT_FOUND', 'Channel not found', { channelId });
  const { channel } = existing;
  const { transport } = channel;
  if (chatType !== personChatType(transport) && chatType !== groupChatType(transport)) {
    const data = { channelId, transport, chatType };
    return refusal('WRONG_TRANSPORT', 'The channel does not carry chats of this type', data);
  }
  return checkChannel(channel) ?? checkContent(channel, body) ?? resolveRecipient(state, account, channel, body);
}

/** Refusals by the state of a channel; other states are unavailable. */
const CHANNEL_REFUSALS: ReadonlyMap<string, readonly [code: string, description: string]> = new Map([
  ['blocked', ['CHANNEL_BLOCKED', 'The channel is blocked']],
  ['notenoughmoney', ['CHANNEL_NO_MONEY', 'The channel is not paid for']],
  ['rejected', ['CHANNEL_WAPI_REJECTED', 'The channel was rejected']],
]);

function checkChannel(channel: Channel): Refusal | undefined {
  const state = channel.state.toLowerCase();
  const unavailable = ['MESSAGE_CHANNEL_UNAVAILABLE', 'The channel cannot send now'] as const;
  return state === 'active' ? undefined : refusal(...(CHANNEL_REFUSALS.get(state) ?? unavailable));
}

function checkContent(channel: Channel, body: SendBody): Refusal | undefined {
  const { text, contentUri } = body;
  if (text !== undefined && contentUri !== undefined)
    return refusal('MESSAGE_ONLY_TEXT_OR_CONTENT', 'A message carries either text or content');
  if (text === undefined)
    return contentUri === undefined
      ? refusal('MESSAGE_NOTHING_TO_SEND', 'A message carries text or content')
      : undefined;
  if (text.trim() === '') return refusal('MESSAGES_TEXT_CAN_NOT_BE_BLANK', 'The text is blank');
  const [characters, code] = TEXT_LIMITS[channel.transport];
  return text.length > characters ? refusal(code, `At most ${characters} characters`) : undefined;
}

/**
 * Maximum length of a text, and the code that refuses more; the vendor's pages disagree, these values are the fact
 * sheet's.
 */
const TEXT_LIMITS: Readonly<Record<Transport, readonly [characters: number, code: string]>> = {
  whatsapp: [10_000, 'MESSAGE_TEXT_TOO_LONG'],
  wapi: [1_024, 'MESSAGES_TOO_LONG_WABA'],
  tgapi: [4_096, 'MESSAGES_TOO_LONG_TELEGRAM'],
  telegram: [4_096, 'MESSAGES_TOO_LONG_TELEGRAM'],
};

function resolveRecipient(state: State, account: string, channel: Channel, body: SendBody): Accepted | Refusal {
  const found = isOpaque(channel.transport) ? opaqueRecipient(state, channel, body) : plainRecipient(state, body);
  if ('code' in found) return found;
  if (isWritingAllowed(state, channel, found.chatId)) return { account, channel, body, ...found };
  return refusal('CHAT_NO_ACCESS', 'A bot can write only to those who have written to it');
}

type Recipient = { to: string; chatId: string };

function plainRecipient(state: State, body: SendBody): Recipient | Refusal {
  const { chatId } = body;
  if (chatId === undefined) return missing('chatId');
  if (body.chatType === 'whatsgroup') return { to: chatId, chatId };
  // A chat that a phone has written in: under a privacy id, a business-scoped id, or its number in another form.
  const existing = state.chats.get(chatId);
  if (existing !== undefined) return { to: existing, chatId };
  if (!/^\d+$/.test(chatId)) return missing('chatId');
  if (!isDigits(chatId)) return refusal('BAD_CONTACT', 'There is no such user in this messenger');
  return { to: chatId, chatId };
}

function opaqueRecipient(state: State, channel: Channel, body: SendBody): Recipient | Refusal {
  if (body.chatId !== undefined) {
    const to = state.chats.get(body.chatId);
    return to === undefined ? refusal('BAD_CONTACT', 'There is no such chat') : { to, chatId: body.chatId };
  }
  const raw = body.phone ?? body.username;
  if (raw === undefined || raw.trim() === '') return missing('chatId');
  if (body.phone !== undefined && !/^\d+$/.test(body.phone)) return missing('phone');
  if (body.phone === undefined && raw.startsWith('@')) return missing('username');
  const to = normaliseAddress(raw);
  return { to, chatId: chatIdFor(channel.transport, to) };
}

function missing(field: string): Refusal {
  return refusal('INVALID_MESSAGE_DATA', `The field ${field} is missing or wrong`, { fields: [field] });
}

/** Refuse a key that was accepted less than the window ago, on the real clock. */
export function checkKey(state: State, account: string, crmMessageId: string | undefined): Refusal | undefined {
  if (crmMessageId === undefined || !state.settings.key.dedupe) return undefined;
  const acceptedAt = state.acceptedKeys.get(acceptedKey(account, crmMessageId));
  if (acceptedAt === undefined || Date.now() - acceptedAt >= state.settings.key.windowMs) return undefined;
  return refusal('REPEATED_CRM_MESSAGE_ID', 'You have already sent message with same crmMessageId', { crmMessageId });
}

/** Put the message on the phone (or, with `failing`, nowhere) and plan its statuses. Returns the vendor's id. */
export function deliver(world: World, accepted: Accepted, failing?: Fault): string {
  const { account, channel, body, to, chatId } = accepted;
  const messageId = randomUUID();
  const sent = {
    vendor: 'wazzup24',
    account,
    channelId: channel.channelId,
    chatType: body.chatType,
    to,
    chatId,
    text: body.text,
    contentUri: body.contentUri,
    messageId,
    crmMessageId: body.crmMessageId,
  } as const;
  const entry: SentDraft =
    failing === undefined
      ? { kind: 'reached', ...sent }
      : { kind: 'undeliverable', ...sent, code: failing.code ?? 'BAD_CONTACT' };
  const mode = world.state.settings.echo;
  const name = world.state.phones.get(to)?.name ?? to;
  const echo = outgoingItem(messageOf(entry, world.clock.iso()), to, name, { isEcho: mode === 'echo' });
  const hooks =
    mode === 'off' ? [] : world.hooks.enqueue(account, `${channel.channelId} ${chatId}`, { messages: [echo] });
  world.hooks.append(entry, ...hooks);
  world.receipts.plan(messageId, failing);
  return messageId;
}
