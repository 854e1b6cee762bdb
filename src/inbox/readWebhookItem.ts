/** Reads the items of our own webhook format one by one, in the odd forms in which programs send them. Pure. */

import { readTelegramChat, readWhatsappChat } from '../channels/chats.ts';
import type { ChannelType } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { instantInput } from '../platform/contract.ts';
import { type Violation, violationsOf } from '../platform/validationMessages.ts';
import { isStatusAlone, type WebhookItem, webhookItem } from './chatbotContract.ts';

/** What a webhook's list says: the items that can be used, those that cannot and why, and fields nothing was made of. */
export interface WebhookItems {
  readonly items: readonly WebhookItem[];
  readonly refused: readonly { readonly index: number; readonly violations: readonly Violation[] }[];
  readonly ignoredFields: readonly string[];
}

/** Most names of ignored fields, and most characters of one: they only help to find a misspelled one. */
const MAX_IGNORED = 50;
const MAX_NAME_LENGTH = 100;

/** Read each item of a list by itself: one that cannot be used loses no other. */
export function readWebhookItems(list: readonly unknown[]): WebhookItems {
  const items: WebhookItem[] = [];
  const refused: { index: number; violations: Violation[] }[] = [];
  const ignoredFields = new Set<string>();
  for (const [index, raw] of list.entries()) {
    const form = isRecord(raw) ? usualForm(raw) : raw;
    const parsed = webhookItem.safeParse(form);
    if (parsed.success) items.push(parsed.data);
    else refused.push({ index, violations: violationsOf(parsed.error) });
    if (!isRecord(raw) || !isRecord(form)) continue;
    for (const key of Object.keys(raw))
      if (!(key in webhookItem.shape) || (key === 'sent_at' && form[key] === null && hasValue(raw[key])))
        ignoredFields.add(key.slice(0, MAX_NAME_LENGTH));
  }
  return { items, refused, ignoredFields: [...ignoredFields].sort().slice(0, MAX_IGNORED) };
}

/** Return what an item of a channel says, as a driver would report it. `type` undefined: there is no such channel. */
export function toHookItem(
  item: WebhookItem,
  { ref, type }: { readonly ref: string; readonly type: ChannelType | undefined },
): HookItem {
  const isMessage = !isStatusAlone(item);
  const text = item.message?.trim() ? item.message : '';
  const reported = item.status === null || item.status === 'inbound' ? null : item.status;
  return {
    kind: isMessage ? 'message' : 'status',
    channelRef: ref,
    extId: item.message_id,
    status: reported ?? (item.is_echo ? 'sent' : 'inbound'),
    ...(type === 'telegram' ? readTelegramChat : readWhatsappChat)({ chatId: item.chat_id }),
    occurredAt: item.sent_at,
    text,
    mediaKind: isMessage && text === '' ? 'unknown' : 'text',
    mediaUrl: null,
    name: null,
    errorCode: null,
    errorReason: null,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasValue = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== null && value !== undefined;

/** Rewrite the fields of an item whose meaning is plain into the form that the shape declares. */
function usualForm(raw: Record<string, unknown>): Record<string, unknown> {
  return {
    ...raw,
    chat_id: hasValue(raw['chat_id']) ? raw['chat_id'] : null,
    message: typeof raw['message'] === 'number' ? String(raw['message']) : raw['message'],
    is_echo: toBoolean(raw['is_echo']),
    status: toStatus(raw['status']),
    // A time that cannot be read is none: the message counts from when it came.
    sent_at: toInstant(raw['sent_at']),
  };
}

function toBoolean(value: unknown): unknown {
  if (!hasValue(value)) return undefined;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === 1 || word === '1' || word === 'true') return true;
  return word === 0 || word === '0' || word === 'false' ? false : value;
}

function toStatus(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.trim().toLowerCase() || null;
}

/** Seconds since 1970 end here; what is larger counts thousandths, millionths or billionths of a second. */
const MAX_SECONDS = 9_999_999_999;
/** `2026-11-29`, `2026-11-29 10:15`, `2026-11-29T10:15:30,123456+0300`, …; without a zone it is UTC. */
const DATE_AND_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:(?:[Tt]|\s+)(\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(?:(?:[Zz]|UTC|GMT)|([+-]\d{2})(?::?(\d{2}))?)?)?$/;
/** `Sun, 29 Nov 2026 10:15:30 GMT`, as in mails and headers of HTTP. */
const MAIL_DATE = /^(?:[A-Z][a-z]{2},\s+)?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;

/** A program without a time writes the year 1; the year 10000, which a zone may lead to, is not written like others. */
const SUPPORTED_YEAR = /^(?!000[01])\d{4}-/;

/** Read a time in any form whose meaning is plain. Null: there is none, it is zero, or it cannot be read. */
export function toInstant(value: unknown): string | null {
  if (typeof value === 'number') return fromCount(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromCount(Number(text));
  if (MAIL_DATE.test(text)) return fromMs(Date.parse(text));
  const match = DATE_AND_TIME.exec(text);
  if (!match) return null;
  const [, day = '', time = '00:00', seconds = '00', fraction = '0', hours, minutes = '00'] = match;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const read = instantInput.safeParse(`${day}T${time}:${seconds}.${fraction.slice(0, 3)}${zone}`);
  return read.success && SUPPORTED_YEAR.test(read.data) ? read.data : null;
}

function fromCount(count: number): string | null {
  const seconds = [1, 1e3, 1e6, 1e9].map((each) => count / each).find((one) => one <= MAX_SECONDS);
  return seconds !== undefined && seconds > 0 ? fromMs(seconds * 1000) : null;
}

const fromMs = (ms: number): string | null => (Number.isNaN(ms) ? null : new Date(Math.floor(ms)).toISOString());
