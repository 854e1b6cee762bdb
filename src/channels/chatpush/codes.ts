/**
 * ChatPush's delivery status ids and the words of its WhatsApp status hook, sorted by what became of the message and who
 * has to act. Source: the vendor's list of delivery statuses. What an id outside the list means is unknown: it is taken as
 * not final, asked about again, and in the end left as sent.
 */
import type { RefusalAbout } from '../driver.ts';

export type DeliveryState =
  | { readonly status: 'sent' | 'delivered' | 'read' }
  /** `reason` null: the vendor's own description says more than we know. */
  | { readonly status: 'error'; readonly about: RefusalAbout; readonly reason: string | null };

/** On its way: enroute, accepted, waiting for sending, in progress, moderating, waiting. */
const PENDING_CODES = [1, 6, 14, 15, 21, 46];
/** Deleted, cancelled, wrong parameters, too long, and errors of operators and of SMS. */
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
/** Money and subscription too: the channel rests and is tried again, since no other token would help. */
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

/** What a delivery status id says; null: it is not in the vendor's list. */
export function deliveryStateOf(statusId: number): DeliveryState | null {
  return deliveryStates.get(statusId) ?? null;
}

/** What a word of `whatsapp_status_msg` says; null: no word of the vendor's list. */
export function deliveryStateOfWord(word: string): DeliveryState | null {
  switch (word) {
    case 'sent':
      return { status: 'sent' };
    case 'received':
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

/** Who has to act when a call is refused: the vendor names the fields that are wrong. */
export function refusalAboutFields(fields: readonly string[]): RefusalAbout {
  if (fields.some((field) => ['phone', 'username', 'tdlib_user_id', 'whatsapp_lid'].includes(field)))
    return 'recipient';
  return fields.includes('dispatch_routing') ? 'channel' : 'message';
}
