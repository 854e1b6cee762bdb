/** ChatPush's notifications: webhooks in both forms, statuses, callbacks, sign-ins (fact sheet, section 6). */
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { isDigits, privacyIdFor } from '../addresses.ts';
import type { Channel, PhoneMessage } from '../contract.ts';
import type { EntryDraft } from '../entries.ts';
import type { Parts } from '../parts.ts';
import type { ChatpushView, chatpushAccountSchema } from './contract.ts';

/** How often a callback is retried, according to the vendor. */
const CALLBACK_RETRIES = 10;

/** Return the messenger's own id of a message: WhatsApp's contains chat and direction, Telegram's is a number. */
export function messageIdAtChatpush({ state }: Parts, channel: Channel, of: { chatId: string; outgoing: boolean }) {
  if (channel.transport === 'whatsapp')
    return `${of.outgoing}_${whatsappChat(of.chatId)}_3A${randomBytes(8).toString('hex').toUpperCase()}`;
  return String(40_000_000_001 + state.messages.size);
}

/** Queue a webhook for every subscription to this type. */
function enqueue(
  { state, hooks }: Parts,
  to: { readonly token: string; readonly lane: string },
  type: string,
  payload: object,
): EntryDraft[] {
  const webhooks = state.chatpush.get(to.token)?.webhooks ?? [];
  return webhooks
    .filter(({ types }) => types.includes(type))
    .flatMap(({ id, url }) => hooks.enqueuePost(to.token, `${to.lane} ${id}`, { url }, { type, payload }));
}

const laneOf = ({ channelId, chatId }: PhoneMessage): string => `${channelId} ${chatId}`;

interface MessageContext {
  readonly address: string;
  readonly name: string;
  /** Whether to leave the number out. */
  readonly hidden: boolean;
  /** Set for messages sent through an API, by us or another program. */
  readonly deliveryId: string | null;
}

/** Queue the webhooks of a message in either direction. */
export function chatpushMessage(parts: Parts, message: PhoneMessage, of: MessageContext): EntryDraft[] {
  const existing = parts.state.channels.get(message.channelId);
  const account = existing === undefined ? undefined : parts.state.chatpush.get(existing.account);
  if (existing === undefined || account === undefined) return [];
  const to = { token: existing.account, lane: laneOf(message) };
  if (existing.channel.transport === 'whatsapp')
    return enqueue(parts, to, 'whatsapp_incoming_msg', nested(account, message, of));
  const type = existing.channel.transport === 'telegram' ? 'telegram_bot_incoming_msg' : 'tdlib_incoming_msg';
  return enqueue(parts, to, type, flat(account, message, of));
}

/** Return the id of a person's WhatsApp chat in WhatsApp's own form. */
const whatsappChat = (chatId: string): string => (chatId.includes('@') ? chatId : `${chatId}@c.us`);
const isIncoming = (message: PhoneMessage): boolean => message.author === 'lead';
const isGroup = (message: PhoneMessage): boolean => message.chatType.endsWith('group');
const secondsOf = (message: PhoneMessage): number => Math.floor(Date.parse(message.at) / 1000);

function file(message: PhoneMessage): object {
  if (message.contentUri === undefined) return {};
  const { text: caption = null, contentUri: download_url } = message;
  return { file_data: { mime_type: 'application/octet-stream', caption, download_url } };
}

function nested(account: ChatpushView, message: PhoneMessage, of: MessageContext): object {
  const chat = isGroup(message) ? `${message.chatId}@g.us` : whatsappChat(message.chatId);
  const isOfPerson = !isGroup(message) && (/^\d+$/.test(message.chatId) || message.chatId.endsWith('@lid'));
  const phone = isOfPerson ? of.address : null;
  const delivery = of.deliveryId === null ? '' : `_d${of.deliveryId}THISISBOT`;
  return {
    customer_id: account.customerId,
    delivery_id: of.deliveryId === null ? null : Number(of.deliveryId),
    new_message: {
      direction: isIncoming(message) ? 'incoming' : 'outgoing',
      chat_id: chat,
      chat_phone: of.hidden ? null : phone,
      sender_phone_number: isIncoming(message) ? phone : '79990000000',
      pushname: isIncoming(message) ? of.name : null,
      sender_name: isIncoming(message) ? of.name : null,
      message: {
        id: of.deliveryId === null ? message.messageId : `true_${privacyIdFor(of.address)}${delivery}`,
        type: message.type === 'audio' ? 'voice' : message.type,
        text: message.contentUri === undefined ? (message.text ?? null) : null,
        timestamp: secondsOf(message),
        reply_to_message_id: null,
        ...file(message),
      },
    },
  };
}

function flat(account: ChatpushView, message: PhoneMessage, of: MessageContext): object {
  const incoming = isIncoming(message);
  const chatId = isGroup(message) ? -Math.abs(Number(message.chatId)) : Number(message.chatId);
  const address = of.hidden ? null : of.address;
  const lead = isDigits(of.address) ? { phone: address, name: null } : { phone: null, name: address };
  const us = { phone: '79990000001', name: 'our_name' };
  const [sender, recipient] = incoming ? [lead, us] : [us, lead];
  return {
    customer_id: account.customerId,
    chat_id: chatId,
    chat_type: isGroup(message) ? 'group' : 'person',
    direction: incoming ? 'incoming' : 'outgoing',
    sender_id: incoming ? Number(message.chatId) : 1,
    sender_name: incoming ? of.name : 'We',
    sender_phone_number: sender.phone,
    sender_username: sender.name,
    recipient_phone_number: recipient.phone,
    recipient_username: recipient.name,
    delivery_id: of.deliveryId === null ? null : Number(of.deliveryId),
    message: {
      // The messenger counts all messages, no matter who sent them.
      id: of.deliveryId === null ? Number(message.messageId) : 50_000_000_000 + Number(of.deliveryId),
      type: message.type === 'text' ? 'formattedText' : message.type,
      text: message.contentUri === undefined ? (message.text ?? null) : null,
      timestamp: secondsOf(message),
      reply_to_message_id: null,
      ...file(message),
    },
  };
}

const WORDS = { sent: 'sent', delivered: 'received', read: 'read', error: 'failed' } as const;

/** Return the number of a delivery status. */
function statusIdOf(status: PhoneMessage['status'], code: string | undefined): number {
  if (status === 'error') return Number.isInteger(Number(code)) ? Number(code) : 7;
  return { accepted: 6, inbound: 6, sent: 1, delivered: 2, read: 16 }[status];
}

/** Build the status of a delivery, which is nested here, unlike in the answer to a send. */
export function deliveryStatusView(message: PhoneMessage, status = message.status, code = message.error): object {
  const status_id = statusIdOf(status, code);
  return {
    id: Number(message.messageId),
    phone: `+${message.chatId.replace(/@.*$/, '')}`,
    status: { status_id, status_description: `Status ${status_id}` },
    operator: null,
    external_id: message.crmMessageId ?? null,
  };
}

export interface Step {
  readonly status: 'sent' | 'delivered' | 'read' | 'error';
  readonly code?: string | undefined;
}

/** Queue the notifications of one status: WhatsApp's by webhook, final ones also to the delivery's callback address. */
export function chatpushStatus(parts: Parts, message: PhoneMessage, step: Step): EntryDraft[] {
  const account = parts.state.chatpush.get(message.account);
  const isWhatsapp = parts.state.channels.get(message.channelId)?.channel.transport === 'whatsapp';
  // A message that was never sent does not exist in WhatsApp, so it has no status there.
  const isReported = account !== undefined && isWhatsapp && (step.status !== 'error' || step.code === 'failed');
  // It names the delivery, the chat and the phone together.
  const address = parts.state.messages.get(message.messageId)?.address ?? message.chatId;
  const id = `true_${privacyIdFor(address)}_d${message.messageId}THISISBOT`;
  const payload = {
    customer_id: account?.customerId,
    message_status: { id, status: WORDS[step.status], chat_id: whatsappChat(message.chatId), chat_phone: address },
  };
  const to = { token: message.account, lane: laneOf(message) };
  return [
    ...(isReported ? enqueue(parts, to, 'whatsapp_status_msg', payload) : []),
    ...(step.status === 'sent' ? [] : callback(parts, message, step)),
  ];
}

function callback({ faults, hooks }: Parts, message: PhoneMessage, step: Step): EntryDraft[] {
  const { account, channelId, text, callbackUrl: url, messageId } = message;
  const occasion = { account, channelId, text };
  if (url === undefined || faults.take('chatpush.no_callback', occasion) !== undefined) return [];
  const delivery = deliveryStatusView(message, step.status, step.code);
  const body = { meta: { code: 200, status: 'success' }, delivery };
  return hooks.enqueuePost(account, `callback ${messageId}`, { url, retries: CALLBACK_RETRIES }, body);
}

/** Change the account. A sign-in or sign-out of WhatsApp is reported, one of Telegram is not. */
export function chatpushAccount(parts: Parts, token: string, account: z.output<typeof chatpushAccountSchema>): void {
  const before = parts.state.chatpush.get(token);
  const { token: _token, webhooks: _webhooks, ...existing } = before ?? { token, webhooks: [] };
  if (JSON.stringify(existing) === JSON.stringify(account)) return;
  const type = account.whatsapp === 1 ? 'whatsapp_log_in' : 'whatsapp_log_out';
  const isReported = before !== undefined && before.whatsapp !== account.whatsapp;
  const to = { token, lane: `account ${token}` };
  const hooks = isReported ? enqueue(parts, to, type, { customer_id: account.customerId }) : [];
  parts.hooks.append({ kind: 'chatpush_account', token, account }, ...hooks);
}
