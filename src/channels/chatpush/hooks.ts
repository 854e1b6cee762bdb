/**
 * Parses ChatPush's hooks leniently into `HookItem`s: messages nested (WhatsApp) and flat (Telegram), WhatsApp's
 * statuses, posts to a delivery's callback address, and session notices. The vendor does not document the following;
 * decided here:
 * - what a bot's messages look like: like those of a personal number;
 * - what log_in and log_out carry: only the account they belong to, so the account is read again;
 * - whether a callback carries `external_id`: it is used where present;
 * - how long hooks are repeated: a repeat is recognised by its message id.
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

/** The text shown in brackets for each kind of media. */
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
/**
 * Types that are not messages from a person, as WhatsApp's and Telegram's own clients name them; the vendor lists no
 * types.
 */
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

/** Extracts the delivery id from the id of an echo or a WhatsApp status, where the id contains one. */
const DELIVERY_IN_ID = /_d(\d+)THISISBOT/;

/** Parse one hook; anything unrecognised yields no item. Never throws. */
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

/** Return the channel reference; null if the hook does not name the account, so it belongs to no channel. */
function channelOf(of: HookSource, routing: Routing): string | null {
  const customer = of.customer_id ?? of.instance?.customer_id;
  return customer === null || customer === undefined ? null : channelRefOf(customer, routing);
}

type Content = z.output<typeof content>;

/** Build the part of the item that both message forms share. */
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

/** Return the media kind, and whether the message is silent (needs no reply). */
function kindOf({ type, text, file_data }: Content): Pick<HookItem, 'mediaKind' | 'isSilent'> {
  const typeName = type ?? '';
  if (CALLS.has(typeName)) return { mediaKind: 'missing_call', isSilent: true };
  if (NOTICES.has(typeName)) return { mediaKind: 'system', isSilent: true };
  const media = MEDIA[typeName];
  if (media !== undefined) return { mediaKind: media, isSilent: false };
  // Report an unknown type as a document if it has a file, or as a text if it has one.
  if (file_data) return { mediaKind: 'document', isSilent: false };
  if (text || TEXTS.has(typeName)) return { mediaKind: 'text', isSilent: false };
  return { mediaKind: 'unknown', isSilent: true };
}

/**
 * Convert seconds since 1970 to an instant; null if no message can have that time. The vendor cuts off fractions. The
 * end of the second is used so that a quick answer is not sorted before the message it answers.
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
  // The other party in both directions; the sender of an outgoing message is us.
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
    // Incoming messages with a delivery id have been observed; the id has no meaning there.
    deliveryId: incoming ? null : (one.delivery_id ?? null),
    incoming,
    isGroup: one.chat_id.startsWith('-') || (one.chat_type ?? 'person') === 'group',
    name: incoming ? (one.sender_name ?? null) : null,
    // The number is hidden: the chat id is the only identification of the lead.
    address: phone === null ? (username ?? `id:${one.chat_id}`) : phoneFromVendor(phone),
    timestamp: one.timestamp,
    // Telegram numbers messages per account or chat: alone, such a number could equal a delivery id.
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
  // Each notice needs a unique id: two log_outs on two days look the same.
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

/** Convert a delivery's status; an unknown status is not final. */
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
