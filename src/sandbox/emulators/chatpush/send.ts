/** Checks of `POST /delivery` (fact sheet, section 4). */
import { chatIdFor, isDigits, normaliseAddress, personChatType } from '../addresses.ts';
import type { Channel, Fault } from '../contract.ts';
import { messageOf, type SentDraft } from '../messages.ts';
import { isWritingAllowed, type State } from '../state.ts';
import type { World } from '../world.ts';
import type { ChatpushView } from './contract.ts';
import type { Params } from './params.ts';
import { chatpushMessage } from './webhooks.ts';

/** A send that passed every check. */
export interface Accepted {
  readonly account: ChatpushView;
  readonly channel: Channel;
  readonly to: string;
  readonly chatId: string;
  readonly text: string;
  readonly externalId: string | undefined;
  readonly callbackUrl: string | undefined;
  /** Status id with which it fails later: the vendor also accepts what it cannot send. */
  readonly failureCode: string | undefined;
}

/** Errors by parameter. */
export type FieldErrors = Readonly<Record<string, string[]>>;

export function checkSend(state: State, account: ChatpushView, params: Params): Accepted | { wrong: FieldErrors } {
  const text = params.one('text') ?? '';
  if (text.trim() === '') return { wrong: { text: ["can't be blank"] } };
  if (text.length > 3500) return { wrong: { text: ['is too long (maximum is 3500 characters)'] } };
  const [routing, ...others] = params.all('dispatch_routing');
  const channel = state.channels.get(`${account.customerId}:${routing}`)?.channel;
  if (channel === undefined || others.length > 0)
    return { wrong: { dispatch_routing: ['is not included in the list'] } };
  const found = recipientOf(state, channel, params);
  if ('wrong' in found) return found;
  return {
    account,
    channel,
    ...found,
    text,
    externalId: params.one('external_id'),
    callbackUrl: params.one('callback_url'),
    failureCode: found.doomed ?? failureCodeOf(state, account, channel, found.chatId),
  };
}

function failureCodeOf(state: State, account: ChatpushView, channel: Channel, chatId: string): string | undefined {
  if (account.subscription !== 'active') return '31';
  if (channel.transport === 'whatsapp') return account.whatsapp === 1 ? undefined : '45';
  if (channel.transport === 'tgapi') return account.tdlib === 3 ? undefined : '50';
  return isWritingAllowed(state, channel, chatId) ? undefined : '58';
}

type Recipient = { to: string; chatId: string; doomed?: string };

function recipientOf(state: State, channel: Channel, params: Params): Recipient | { wrong: FieldErrors } {
  const id = params.one('tdlib_user_id');
  const username = params.one('username');
  if (channel.transport !== 'whatsapp' && id !== undefined) {
    const to = state.chats.get(id);
    return to === undefined ? { to: id, chatId: id, doomed: '58' } : { to, chatId: id };
  }
  if (channel.transport === 'tgapi' && username !== undefined) {
    const to = normaliseAddress(username);
    return { to, chatId: chatIdFor(channel.transport, to) };
  }
  const lid = params.one('whatsapp_lid');
  if (channel.transport === 'whatsapp' && lid !== undefined) {
    const chatId = `${lid}@lid`;
    const to = state.chats.get(chatId);
    return to === undefined ? { to: chatId, chatId, doomed: '44' } : { to, chatId };
  }
  const phone = normaliseAddress(params.one('phone') ?? '').replace(/^8(?=\d{10}$)/, '7');
  if (phone === '') return { wrong: { phone: ["can't be blank"] } };
  if (!isDigits(phone)) return { wrong: { phone: ['is invalid'] } };
  return { to: phone, chatId: chatIdFor(channel.transport, phone) };
}

/** Put the message on the phone (or, failing, nowhere) and plan its statuses. Returns the delivery's number. */
export function deliver(world: World, accepted: Accepted, failing?: Fault): string {
  const { account, channel, to, chatId, text, externalId, callbackUrl } = accepted;
  const failureCode = accepted.failureCode ?? (failing === undefined ? undefined : (failing.code ?? '44'));
  const messageId = String(300_000_001 + world.state.deliveries);
  const sent = {
    vendor: 'chatpush',
    account: account.token,
    channelId: channel.channelId,
    chatType: personChatType(channel.transport),
    to,
    chatId,
    text,
    messageId,
    crmMessageId: externalId,
    callbackUrl,
  } as const;
  const entry: SentDraft =
    failureCode === undefined ? { kind: 'reached', ...sent } : { kind: 'undeliverable', ...sent, code: failureCode };
  const echoes = failureCode === undefined && isEchoed(world, accepted);
  const message = messageOf(entry, world.clock.iso());
  const of = { address: to, name: to, hidden: false, deliveryId: messageId };
  world.hooks.append(entry, ...(echoes ? chatpushMessage(world, message, of) : []));
  world.receipts.plan(
    messageId,
    failureCode === undefined ? undefined : { kind: 'chatpush.fail_later', code: failureCode },
  );
  return messageId;
}

/** Return whether the sent message is reported: Telegram does so; WhatsApp no longer does unless switched on. */
function isEchoed({ faults }: World, { account, channel, to, text }: Accepted): boolean {
  const occasion = { account: account.token, channelId: channel.channelId, to, text };
  if (channel.transport === 'whatsapp') return faults.take('chatpush.echo', occasion) !== undefined;
  return faults.take('chatpush.no_echo', occasion) === undefined;
}
