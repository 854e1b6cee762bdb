/**
 * ChatPush's delivery status ids and the words of its WhatsApp status hook, sorted by what happened to the message and
 * who has to act. Source: the vendor's list of delivery statuses. The meaning of an id outside the list is unknown: it
 * is treated as not final, polled again, and in the end left as sent.
 */
import type { RefusalAbout } from '../driver.ts';

export type DeliveryState =
  | { readonly status: 'sent' | 'delivered' | 'read' }
  /** `reason` null: use the vendor's own description, which says more than we know. */
  | { readonly status: 'error'; readonly about: RefusalAbout; readonly reason: string | null };

/** Not final: enroute, accepted, waiting for sending, in progress, moderating, waiting. */
const PENDING_CODES = [1, 6, 14, 15, 21, 46];
/** The message failed: deleted, cancelled, wrong parameters, too long, and operator and SMS errors. */
const MESSAGE_CODES = [
  0, 3, 4, 5, 7, 8, 9, 10, 18, 20, 22, 26, 27, 33, 38, 47, 48, 49, 53, 69, 88, 257, 1281, 1282, 1283, 1284, 1285, 1286,
  1287, 1288, 1293, 1299, 2291,
];
const RECIPIENT_CODES: Readonly<Record<number, string | null>> = {
  11: 'The number is wrong',
  12: null,
  25: null,
  28: null,
  34: null,
  44: 'The number is not in WhatsApp',
  51: null,
  58: 'There is no such user in Telegram',
  555: null,
};
/** Includes money and subscription: the channel is paused and tried again, because another token would not help. */
const CHANNEL_CODES: Readonly<Record<number, string>> = {
  13: 'The ChatPush account has no money',
  31: 'The ChatPush subscription has to be paid',
  32: 'The ChatPush subscription has to be paid',
  36: 'The ChatPush account has no money',
  45: 'WhatsApp is signed out at ChatPush',
  50: 'Telegram is signed out at ChatPush',
  52: 'WhatsApp is signed out at ChatPush',
};
const TRANSIENT: Readonly<Record<number, string>> = {
  17: 'Telegram asks to slow down',
  35: 'The queue of ChatPush is full: it takes about one message a minute',
  37: 'The day’s limit at ChatPush is reached',
  56: 'The limit of safe sending at ChatPush is reached',
  57: 'Too many new contacts, says ChatPush',
};

const deliveryStates = new Map<number, DeliveryState>([
  ...PENDING_CODES.map((id): [number, DeliveryState] => [id, { status: 'sent' }]),
  [2, { status: 'delivered' }],
  [16, { status: 'read' }],
  ...MESSAGE_CODES.map((id): [number, DeliveryState] => [id, { status: 'error', about: 'message', reason: null }]),
]);
for (const [about, ids] of [
  ['recipient', RECIPIENT_CODES],
  ['channel', CHANNEL_CODES],
  ['passing', TRANSIENT],
] as const) {
  for (const [id, reason] of Object.entries(ids)) deliveryStates.set(Number(id), { status: 'error', about, reason });
}

/** Map a delivery status id to its state; null if it is not in the vendor's list. */
export function deliveryStateOf(statusId: number): DeliveryState | null {
  return deliveryStates.get(statusId) ?? null;
}

/** Map a word of `whatsapp_status_msg` to its state; null if it is not in the vendor's list. */
export function deliveryStateOfWord(word: string): DeliveryState | null {
  switch (word.trim().toLowerCase()) {
    case 'sent':
      return { status: 'sent' };
    case 'received':
    // As its list of numbers calls the same.
    case 'delivered':
      return { status: 'delivered' };
    case 'read':
    case 'played':
      return { status: 'read' };
    case 'failed':
    case 'expired':
    case 'content_gone':
    case 'content_too_big':
    case 'content_unuploadable':
    case 'inactive':
      return { status: 'error', about: 'message', reason: `WhatsApp could not deliver it (${word})` };
    default:
      return null;
  }
}

/** Decide who has to act when a call is refused. The vendor names the wrong fields. */
export function refusalAboutFields(fields: readonly string[]): RefusalAbout {
  if (fields.some((field) => ['phone', 'username', 'tdlib_user_id', 'whatsapp_lid'].includes(field)))
    return 'recipient';
  return fields.includes('dispatch_routing') ? 'channel' : 'message';
}
