/**
 * Parses ChatPush's hooks leniently into `HookItem`s: messages nested (WhatsApp) and flat (Telegram), WhatsApp's
 * statuses, posts to a delivery's callback address, and session notices. The vendor does not document the following;
 * decided here:
 * - what a bot's messages look like: like those of a personal number;
 * - what log_in and log_out carry: only the account they belong to, so the account is read again;
 * - whether a callback carries `external_id`: it is used where present;
 * - how edits and deletions are reported: by a flag, a type or an event of their own, as the messengers' libraries do;
 * - where polls, buttons and reactions have their words: where those libraries have them;
 * - how long hooks are repeated: a repeat is recognised by its message id.
 */
import { z } from 'zod';
import { ids } from '../../platform/ids.ts';
import { type Chat, readTelegramChat, readWhatsappChat } from '../chats.ts';
import { type DeliveryStatus, editStatus, type HookItem, REFRESH_SESSIONS } from '../driver.ts';
import { epochMs, flag } from '../hookFields.ts';
import { type DeliveryState, deliveryStateOf, deliveryStateOfWord } from './codes.ts';
import { type Change, type Content, changeOf, content, contentOf, wordsOf } from './content.ts';
import { deliveryStatus, idOf, optionalId, optionalText, seconds } from './shapes.ts';
import { channelRefOf, type Routing } from './wire.ts';

const instance = z.object({ customer_id: optionalId }).nullish().catch(null);
const DIRECTIONS: Readonly<Record<string, 'incoming' | 'outgoing'>> = {
  incoming: 'incoming',
  inbound: 'incoming',
  in: 'incoming',
  outgoing: 'outgoing',
  outbound: 'outgoing',
  out: 'outgoing',
};
/** Notices of edits and deletions may lack it. */
const direction = z
  .string()
  .transform((word) => DIRECTIONS[word.trim().toLowerCase()] ?? null)
  .nullish()
  .catch(null);
const nested = z.object({
  customer_id: optionalId,
  instance,
  delivery_id: optionalId,
  new_message: z.object({
    direction,
    // A message whose chat is not named is stored as ignored.
    chat_id: optionalId,
    chat_phone: optionalId,
    chat_lid: optionalId,
    pushname: optionalText,
    sender_name: optionalText,
    message: content,
  }),
});
const flat = z.object({
  customer_id: optionalId,
  instance,
  delivery_id: optionalId,
  chat_id: optionalId,
  chat_type: optionalText,
  direction,
  sender_id: optionalId,
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
const call = z.object({
  customer_id: optionalId,
  instance,
  incoming_call: z.object({
    call: z.object({ id: idOf, timestamp: seconds, is_group: flag }),
    direction,
    chat_id: optionalId,
    chat_phone: optionalId,
  }),
});
const notice = z.object({ customer_id: optionalId, instance }).catch({ customer_id: null, instance: null });
const callback = z.object({
  delivery: z.intersection(z.object({ id: idOf, external_id: optionalText }), deliveryStatus),
});
const hook = z.object({ type: z.string(), payload: z.unknown() });

const BLANK = {
  channelRef: null,
  chatId: null,
  occurredAt: null,
  text: '',
  mediaKind: 'text',
  mediaUrl: null,
  notPerson: null,
  name: null,
  address: null,
  errorCode: null,
  errorReason: null,
} as const;

/** Extracts the delivery id from the id of an echo or a WhatsApp status, where the id contains one. */
const DELIVERY_IN_ID = /_d(\d+)THISISBOT/;
/** WhatsApp's id of a message begins with whether the account itself has sent it. */
const FROM_US_IN_ID = /^(true|false)_/;
/** Extracts the privacy id of the chat from the id of a message, where the id contains one. */
const LID_IN_ID = /^(?:true|false)_(\d+@lid)_/;

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
    case 'whatsapp_call':
      return callItem(payload);
    case 'whatsapp_log_in':
    case 'whatsapp_log_out':
      return noticeItem(payload);
    default:
      return changeItem(type, payload);
  }
}

const ROUTINGS: Readonly<Record<string, Routing>> = { whatsapp: 'whatsapp', tdlib: 'tdlib', telegram_bot: 'telegram' };

/** Read an event of its own about an edit or deletion: `whatsapp_edited_msg`, `tdlib_message_deleted`. */
function changeItem(type: string, payload: unknown): HookItem | null {
  const [, prefix = '', word = ''] = /^(whatsapp|tdlib|telegram_bot)_(?:\w*_)?(edit|delet|revok)/.exec(type) ?? [];
  const routing = ROUTINGS[prefix];
  if (routing === undefined) return null;
  const change = word === 'edit' ? 'edit' : 'deletion';
  return nestedItem(payload, routing, change) ?? flatItem(payload, routing, change);
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

/** Build the part of the item that both message forms share. */
function messageItem(
  message: Content,
  of: {
    channelRef: string;
    chat: Chat;
    deliveryId: string | null;
    direction: z.output<typeof direction>;
    name: string | null;
    timestamp: number | null | undefined;
    /** The id under which a message of the chat is stored. */
    extIdOf: (id: string) => string;
    change: Change | null;
  },
): HookItem {
  const change = of.change ?? changeOf(message);
  // Nobody knows whose words these are: neither the lead's, to be answered, nor a person's of ours.
  const isUndirected = !of.direction && change === null && of.chat.notPerson === null;
  const incoming = of.direction !== 'outgoing';
  const refersTo = message.reaction?.message_id ?? message.reply_to_message_id;
  const item = {
    ...BLANK,
    kind: 'message',
    channelRef: of.channelRef,
    extId: of.deliveryId ?? of.extIdOf(message.id),
    status: incoming ? 'inbound' : 'sent',
    ...of.chat,
    ...(isUndirected ? { notPerson: 'unknown_direction' as const } : {}),
    occurredAt: instantOf(message.timestamp ?? of.timestamp),
    ...contentOf(message),
    mediaUrl: message.file_data?.download_url ?? null,
    name: of.name,
    ...(refersTo == null ? {} : { refersTo: of.extIdOf(refersTo) }),
    ...(incoming ? {} : { viaApi: of.deliveryId !== null }),
  } as const satisfies HookItem;
  if (change === null) return item;
  const target = message.original_message_id;
  const changed = {
    ...item,
    kind: change,
    extId: target == null ? item.extId : of.extIdOf(target),
    ...(of.direction ? { isOurs: !incoming } : {}),
    // The time of the message is that of its first version.
    occurredAt: change === 'edit' && message.edit_date != null ? instantOf(message.edit_date) : item.occurredAt,
  };
  if (change === 'deletion') return { ...changed, status: 'deleted', text: '' };
  const edit = { ...changed, textBefore: message.old_text ?? null, text: wordsOf(message) };
  return { ...edit, status: editStatus(edit) };
}

/**
 * Convert seconds or milliseconds since 1970 to an instant; null if no message can have that time. The vendor cuts off
 * fractions. The end of the second is used so that a quick answer is not sorted before the message it answers.
 */
function instantOf(at: number | null | undefined): string | null {
  const ms = at === null || at === undefined ? null : epochMs(at);
  if (ms === null) return null;
  return new Date(ms === at ? ms : Math.floor(ms / 1000) * 1000 + 999).toISOString();
}

function nestedItem(payload: unknown, routing: Routing, change: Change | null = null): HookItem | null {
  const parsed = nested.safeParse(payload);
  if (!parsed.success) return null;
  const { new_message: one, ...rest } = parsed.data;
  const channelRef = channelOf(rest, routing);
  if (channelRef === null) return null;
  const fromUs = FROM_US_IN_ID.exec(one.message.id)?.[1];
  const direction = one.direction ?? (fromUs === undefined ? null : fromUs === 'true' ? 'outgoing' : 'incoming');
  const incoming = direction !== 'outgoing';
  return messageItem(one.message, {
    channelRef,
    // The phone is the other party's in both directions; the sender of an outgoing message is us.
    chat: readWhatsappChat({ chatId: one.chat_id ?? null, phone: one.chat_phone, otherIds: [one.chat_lid] }),
    deliveryId: incoming ? null : (rest.delivery_id ?? DELIVERY_IN_ID.exec(one.message.id)?.[1] ?? null),
    direction,
    name: incoming ? (one.pushname ?? one.sender_name ?? null) : null,
    timestamp: null,
    // The id of an echo may contain that of the delivery, under which our own messages are stored.
    extIdOf: (id) => DELIVERY_IN_ID.exec(id)?.[1] ?? id,
    change,
  });
}

function flatItem(payload: unknown, routing: Routing, change: Change | null = null): HookItem | null {
  const parsed = flat.safeParse(payload);
  if (!parsed.success) return null;
  const one = parsed.data;
  const channelRef = channelOf(one, routing);
  if (channelRef === null) return null;
  // In a person's chat, whose id is the sender's, the sender is that person.
  const direction = one.direction ?? (one.chat_id != null && one.sender_id === one.chat_id ? 'incoming' : null);
  const incoming = direction !== 'outgoing';
  const phone = incoming ? one.sender_phone_number : one.recipient_phone_number;
  const username = incoming ? one.sender_username : one.recipient_username;
  return messageItem(one.message, {
    channelRef,
    chat: readTelegramChat({ chatId: one.chat_id ?? null, phone, username, kind: one.chat_type }),
    // Incoming messages with a delivery id have been observed; the id has no meaning there.
    deliveryId: incoming ? null : (one.delivery_id ?? null),
    direction,
    name: incoming ? (one.sender_name ?? null) : null,
    timestamp: one.timestamp,
    // Telegram numbers messages per account or chat: alone, such a number could equal a delivery id.
    extIdOf: (id) => `${one.chat_id ?? ''}/${id}`,
    change,
  });
}

/** Read a call that is reported as an event of its own. */
function callItem(payload: unknown): HookItem | null {
  const parsed = call.safeParse(payload);
  if (!parsed.success) return null;
  const { incoming_call: one, ...rest } = parsed.data;
  const channelRef = channelOf(rest, 'whatsapp');
  if (channelRef === null) return null;
  const incoming = one.direction !== 'outgoing';
  return {
    ...BLANK,
    kind: 'message',
    channelRef,
    extId: `call ${one.call.id}`,
    status: incoming ? 'inbound' : 'sent',
    ...readWhatsappChat({ chatId: one.chat_id ?? null, phone: one.chat_phone, isGroup: one.call.is_group === true }),
    occurredAt: instantOf(one.call.timestamp),
    mediaKind: 'missing_call',
    ...(incoming ? {} : { viaApi: false }),
  };
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
    ...readWhatsappChat({
      chatId: one.chat_id ?? null,
      phone: one.chat_phone,
      otherIds: [LID_IN_ID.exec(one.id)?.[1]],
    }),
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
    ...readDeliveryStatus(delivery),
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
