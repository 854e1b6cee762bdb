/**
 * ChatPush's hooks, read loosely into our words: messages nested (WhatsApp) and flat (Telegram), WhatsApp's statuses, the
 * posts to a delivery's callback address, and notices of a session. Unknown of the vendor, and decided here:
 * - what a bot's messages look like: as the personal number's;
 * - what log_in and log_out carry: no more than whose they are, so the account is read anew;
 * - whether a callback carries `external_id`: it is used where it stands;
 * - how long hooks are repeated: a repeat is known by its message's id.
 */
import { z } from 'zod';
import { phoneFromVendor } from '../../leads/address.ts';
import { ids } from '../../platform/ids.ts';
import { type DeliveryStatus, type HookItem, REFRESH_SESSIONS } from '../driver.ts';
import { type DeliveryState, deliveryStateOf, deliveryStateOfWord } from './codes.ts';
import { channelRefOf, type Routing } from './wire.ts';

const optionalText = z.string().nullish().catch(null);
const idOf = z.union([z.string().min(1).max(200), z.int()]).transform(String);
const optionalId = idOf.nullish().catch(null);
const seconds = z.coerce.number().positive().nullish().catch(null);

const content = z.object({
  id: idOf,
  type: optionalText,
  text: optionalText,
  timestamp: seconds,
  file_data: z.object({ caption: optionalText, download_url: optionalText }).nullish().catch(null),
});
const instance = z.object({ customer_id: optionalId }).nullish().catch(null);
const direction = z.enum(['incoming', 'outgoing']);
const nested = z.object({
  customer_id: optionalId,
  instance,
  delivery_id: optionalId,
  new_message: z.object({
    direction,
    chat_id: idOf,
    chat_phone: optionalId,
    pushname: optionalText,
    sender_name: optionalText,
    message: content,
  }),
});
const flat = z.object({
  customer_id: optionalId,
  instance,
  delivery_id: optionalId,
  chat_id: idOf,
  chat_type: optionalText,
  direction,
  sender_name: optionalText,
  sender_phone_number: optionalId,
  sender_username: optionalText,
  recipient_phone_number: optionalId,
  recipient_username: optionalText,
  timestamp: seconds,
  message: content,
});
const status = z.object({
  customer_id: optionalId,
  instance,
  message_status: z.object({
    id: idOf,
    status: z.string().min(1).max(50),
    chat_id: optionalId,
    chat_phone: optionalId,
  }),
});
const notice = z.object({ customer_id: optionalId, instance }).catch({ customer_id: null, instance: null });
const callback = z.object({
  delivery: z.object({
    id: idOf,
    external_id: optionalText,
    status: z.object({ status_id: z.coerce.number(), status_description: optionalText }),
  }),
});
const hook = z.object({ type: z.string(), payload: z.unknown() });

/** What stands in brackets for a kind of media. */
const MEDIA: Readonly<Record<string, string>> = {
  image: 'image',
  photo: 'image',
  video: 'video',
  document: 'document',
  audio: 'voice message',
  voice: 'voice message',
  ptt: 'voice message',
  sticker: 'sticker',
  location: 'location',
  vcard: 'contact card',
  contact: 'contact card',
};

const TEXTS = new Set(['text', 'chat', 'formattedText', 'messageText']);
/** What is no message of a person, as WhatsApp's and Telegram's own clients name it; the vendor lists no types. */
const CALLS = new Set(['call', 'call_log', 'missed_call', 'missing_call', 'messageCall', 'call_history']);
const NOTICES = new Set([
  'system',
  'service',
  'e2e_notification',
  'notification',
  'notification_template',
  'group_notification',
  'broadcast_notification',
  'gp2',
  'protocol',
  'protocolMessage',
  'revoked',
  'ciphertext',
  'debug',
]);

const BLANK = {
  channelRef: null,
  chatId: null,
  occurredAt: null,
  text: '',
  mediaKind: 'text',
  mediaUrl: null,
  isGroup: false,
  isSilent: true,
  name: null,
  address: null,
  errorCode: null,
  errorReason: null,
} as const;

/** The delivery that an echo or a status of WhatsApp belongs to, where its id tells. */
const DELIVERY_IN_ID = /_d(\d+)THISISBOT/;

/** Reads one hook; whatever is not understood is no item. Never throws. */
export function parseHook(body: unknown): HookItem[] {
  const callbackBody = callback.safeParse(body);
  if (callbackBody.success) return [callbackItem(callbackBody.data.delivery)];
  const parsed = hook.safeParse(body);
  if (!parsed.success) return [];
  const { type, payload } = parsed.data;
  const item = itemOf(type, payload);
  return item ? [item] : [];
}

function itemOf(type: string, payload: unknown): HookItem | null {
  switch (type) {
    case 'whatsapp_incoming_msg':
      return nestedItem(payload, 'whatsapp') ?? flatItem(payload, 'whatsapp');
    case 'tdlib_incoming_msg':
      return flatItem(payload, 'tdlib') ?? nestedItem(payload, 'tdlib');
    case 'telegram_bot_incoming_msg':
      return flatItem(payload, 'telegram') ?? nestedItem(payload, 'telegram');
    case 'whatsapp_status_msg':
      return statusItem(payload);
    case 'whatsapp_log_in':
    case 'whatsapp_log_out':
      return noticeItem(payload);
    default:
      return null;
  }
}

interface HookSource {
  readonly customer_id?: string | null | undefined;
  readonly instance?: { readonly customer_id?: string | null | undefined } | null | undefined;
}

/** Null where the hook does not say whose it is: it then belongs to no channel. */
function channelOf(of: HookSource, routing: Routing): string | null {
  const customer = of.customer_id ?? of.instance?.customer_id;
  return customer === null || customer === undefined ? null : channelRefOf(customer, routing);
}

type Content = z.output<typeof content>;

/** What is the same of a message in either form. */
function messageItem(
  message: Content,
  of: {
    channelRef: string;
    chatId: string;
    deliveryId: string | null;
    incoming: boolean;
    isGroup: boolean;
    name: string | null;
    address: string | null;
    timestamp: number | null | undefined;
    extId: string;
  },
): HookItem {
  const at = message.timestamp ?? of.timestamp;
  return {
    ...BLANK,
    kind: 'message',
    channelRef: of.channelRef,
    extId: of.deliveryId ?? of.extId,
    status: of.incoming ? 'inbound' : 'sent',
    chatId: of.chatId,
    occurredAt: instantOf(at),
    text: message.text || message.file_data?.caption || '',
    ...kindOf(message),
    mediaUrl: message.file_data?.download_url ?? null,
    isGroup: of.isGroup,
    name: of.name,
    address: of.address,
    ...(of.incoming ? {} : { viaApi: of.deliveryId !== null }),
  };
}

/** What kind of message it is, and whether there is nothing to answer. */
function kindOf({ type, text, file_data }: Content): Pick<HookItem, 'mediaKind' | 'isSilent'> {
  const typeName = type ?? '';
  if (CALLS.has(typeName)) return { mediaKind: 'missing_call', isSilent: true };
  if (NOTICES.has(typeName)) return { mediaKind: 'system', isSilent: true };
  const media = MEDIA[typeName];
  if (media !== undefined) return { mediaKind: media, isSilent: false };
  // A kind that we have no word for is told as a file or a text where there is one.
  if (file_data) return { mediaKind: 'document', isSilent: false };
  if (text || TEXTS.has(typeName)) return { mediaKind: 'text', isSilent: false };
  return { mediaKind: 'unknown', isSilent: true };
}

/**
 * Seconds since 1970; null when it is no time that a message can have. The vendor cuts fractions off: taken as the end of
 * its second, a quick answer does not come to stand before what it answers.
 */
function instantOf(at: number | null | undefined): string | null {
  if (at === null || at === undefined || at > 4_102_444_800) return null;
  return new Date(Math.floor(at) * 1000 + 999).toISOString();
}

const digitsOf = (digits: string | null | undefined): string | null => digits?.replace(/\D/g, '') || null;

function nestedItem(payload: unknown, routing: Routing): HookItem | null {
  const parsed = nested.safeParse(payload);
  if (!parsed.success) return null;
  const { new_message: one, ...rest } = parsed.data;
  const channelRef = channelOf(rest, routing);
  if (channelRef === null) return null;
  const incoming = one.direction === 'incoming';
  // The other party in both directions; the sender of what goes out is us.
  const phone = digitsOf(one.chat_phone) ?? (one.chat_id.endsWith('@c.us') ? digitsOf(one.chat_id) : null);
  const extId = one.message.id;
  return messageItem(one.message, {
    channelRef,
    chatId: phone ?? one.chat_id,
    deliveryId: incoming ? null : (rest.delivery_id ?? DELIVERY_IN_ID.exec(extId)?.[1] ?? null),
    incoming,
    isGroup: one.chat_id.endsWith('@g.us'),
    name: incoming ? (one.pushname ?? one.sender_name ?? null) : null,
    address: phone === null ? `id:${one.chat_id}` : phoneFromVendor(phone),
    timestamp: null,
    extId,
  });
}

function flatItem(payload: unknown, routing: Routing): HookItem | null {
  const parsed = flat.safeParse(payload);
  if (!parsed.success) return null;
  const one = parsed.data;
  const channelRef = channelOf(one, routing);
  if (channelRef === null) return null;
  const incoming = one.direction === 'incoming';
  const phone = digitsOf(incoming ? one.sender_phone_number : one.recipient_phone_number);
  const username = incoming ? one.sender_username : one.recipient_username;
  return messageItem(one.message, {
    channelRef,
    chatId: one.chat_id,
    // An incoming message with a delivery's id was seen: there it says nothing.
    deliveryId: incoming ? null : (one.delivery_id ?? null),
    incoming,
    isGroup: one.chat_id.startsWith('-') || (one.chat_type ?? 'person') === 'group',
    name: incoming ? (one.sender_name ?? null) : null,
    // A hidden number: the chat is all there is to know the person by.
    address: phone === null ? (username ?? `id:${one.chat_id}`) : phoneFromVendor(phone),
    timestamp: one.timestamp,
    // Messages of Telegram are counted for each account or chat: alone they could be a delivery's number.
    extId: `${one.chat_id}/${one.message.id}`,
  });
}

function statusItem(payload: unknown): HookItem | null {
  const parsed = status.safeParse(payload);
  if (!parsed.success) return null;
  const { message_status: one, ...rest } = parsed.data;
  const channelRef = channelOf(rest, 'whatsapp');
  const deliveryState = deliveryStateOfWord(one.status);
  if (channelRef === null || deliveryState === null) return null;
  return {
    ...BLANK,
    kind: 'status',
    channelRef,
    extId: DELIVERY_IN_ID.exec(one.id)?.[1] ?? one.id,
    ...toDeliveryStatus(deliveryState, one.status, null),
  };
}

function noticeItem(payload: unknown): HookItem | null {
  const channelRef = channelOf(notice.parse(payload), 'whatsapp');
  if (channelRef === null) return null;
  // Each is a notice of its own: two log_outs on two days look the same.
  return { ...BLANK, kind: 'channel', channelRef, extId: ids.next(), status: REFRESH_SESSIONS };
}

function callbackItem(delivery: z.output<typeof callback>['delivery']): HookItem {
  return {
    ...BLANK,
    kind: 'status',
    extId: delivery.id,
    ...readDeliveryStatus(delivery.status),
    ...(delivery.external_id ? { key: delivery.external_id.slice(0, 200) } : {}),
  };
}

/** What a delivery's status says; an unknown one is not final. */
export function readDeliveryStatus(of: {
  status_id: number;
  status_description?: string | null | undefined;
}): DeliveryStatus {
  const deliveryState = deliveryStateOf(of.status_id) ?? { status: 'sent' as const };
  return toDeliveryStatus(deliveryState, String(of.status_id), of.status_description ?? null);
}

function toDeliveryStatus(deliveryState: DeliveryState, code: string, description: string | null): DeliveryStatus {
  if (deliveryState.status !== 'error') return { status: deliveryState.status, errorCode: null, errorReason: null };
  const reason = deliveryState.reason ?? (description || `The vendor could not deliver it (status ${code})`);
  return { status: 'error', errorCode: code, errorReason: reason.slice(0, 500), errorAbout: deliveryState.about };
}
