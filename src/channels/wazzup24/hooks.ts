/** Parses Wazzup24's hooks leniently into `HookItem`s. One body may contain messages, statuses and channel updates. */
import { z } from 'zod';
import { phoneFromVendor } from '../../leads/address.ts';
import type { HookItem } from '../driver.ts';
import { refusalAboutOf } from './codes.ts';

const text = z.string().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

const messageItem = z.object({
  messageId: z.string().min(1).max(200),
  channelId: z.string().min(1).max(200),
  chatType: text,
  chatId: z.union([z.string(), z.number()]).transform(String).pipe(z.string().min(1).max(200)),
  dateTime: text,
  type: text,
  isEcho: flag,
  contact: z
    .object({ name: text, username: text, phone: z.coerce.string().nullish().catch(null) })
    .nullish()
    .catch(null),
  text,
  contentUri: text,
  status: text,
  error: z.object({ error: text, description: text }).nullish().catch(null),
  authorName: text,
  isEdited: flag,
  isDeleted: flag,
});
const statusItem = z.object({
  messageId: z.string().min(1).max(200),
  timestamp: text,
  status: z.enum(['sent', 'delivered', 'read', 'error']),
  error: z.object({ error: text, description: text }).nullish().catch(null),
});
const channelItem = z.object({
  channelId: z.string().min(1).max(200),
  state: z.string().min(1).max(50),
  timestamp: z.coerce.string().nullish().catch(null),
  // Accept only a PNG data URL, because the page shows it as an image.
  qr: z
    .string()
    .max(100_000)
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)
    .nullish()
    .catch(null),
});
const list = z.array(z.unknown()).default([]).catch([]);
const hookBody = z.object({ messages: list, statuses: list, channelsUpdates: list });

/** Convert a time of the vendor to an instant; samples without a zone exist and mean UTC. Null if unreadable. */
function instantOf(time: string | null | undefined): string | null {
  if (!time) return null;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
  const at = new Date(zoned);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** The text shown in brackets for each kind of media. */
const MEDIA: Record<string, string> = {
  image: 'image',
  audio: 'voice message',
  video: 'video',
  document: 'document',
  vcard: 'contact card',
  geo: 'location',
};
const SILENT = new Set(['system', 'missing_call', 'unsupported', 'unknown']);
const OUTGOING = new Set(['sent', 'delivered', 'read', 'error']);

function messageOf(raw: unknown): HookItem | null {
  const parsed = messageItem.safeParse(raw);
  if (!parsed.success) return null;
  const item = parsed.data;
  // Edits and deletions are notices about a message that is stored already.
  if (item.isEdited || item.isDeleted) return null;
  // A message is inbound if its status says so and it is no echo; if the status is missing, the echo flag decides.
  const inbound = item.isEcho !== true && (item.status === 'inbound' || !item.status);
  const status = inbound ? 'inbound' : item.status && OUTGOING.has(item.status) ? item.status : 'sent';
  const type = item.type ?? 'text';
  const mediaKind =
    MEDIA[type] ?? (type === 'text' || type === 'wapi_template' ? 'text' : SILENT.has(type) ? type : 'text');
  return {
    kind: 'message',
    channelRef: item.channelId,
    extId: item.messageId,
    status,
    chatId: item.chatId,
    occurredAt: instantOf(item.dateTime),
    text: item.text ?? '',
    mediaKind,
    mediaUrl: item.contentUri ?? null,
    isGroup: /group/i.test(item.chatType ?? ''),
    isSilent: SILENT.has(type),
    name: item.contact?.name ?? null,
    address: addressOf(item),
    errorCode: item.error?.error ?? null,
    errorReason: item.error?.description ?? null,
  };
}

/** Return the contact's address. A WhatsApp chat id is the phone; a Telegram chat id is digits unrelated to it. */
function addressOf({ contact, chatType, chatId }: z.output<typeof messageItem>): string | null {
  const phone = contact?.phone?.replace(/\D/g, '') || (chatType === 'whatsapp' && /^\d+$/.test(chatId) ? chatId : null);
  if (phone) return phoneFromVendor(phone);
  return contact?.username || (chatType === 'telegram' ? `id:${chatId}` : null);
}

const BLANK = {
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

function statusOf(raw: unknown): HookItem | null {
  const parsed = statusItem.safeParse(raw);
  if (!parsed.success) return null;
  const { messageId, timestamp, status, error } = parsed.data;
  return {
    ...BLANK,
    kind: 'status',
    channelRef: null,
    extId: messageId,
    status,
    chatId: null,
    occurredAt: instantOf(timestamp),
    errorCode: error?.error ?? null,
    errorReason: error?.description ?? null,
    // The recipient does not exist or may not be written to: another address of the lead may work.
    ...(error?.error && refusalAboutOf(error.error) === 'recipient' ? { errorAbout: 'recipient' as const } : {}),
  };
}

function channelOf(raw: unknown): HookItem | null {
  const parsed = channelItem.safeParse(raw);
  if (!parsed.success) return null;
  const { channelId, state, timestamp, qr } = parsed.data;
  return {
    ...BLANK,
    kind: 'channel',
    channelRef: channelId,
    extId: `${channelId} ${timestamp ?? ''}`,
    status: state,
    chatId: null,
    occurredAt: null,
    ...(qr ? { qr } : {}),
  };
}

export function parseHook(body: unknown): HookItem[] {
  const parsed = hookBody.safeParse(body);
  if (!parsed.success) return [];
  return [
    ...parsed.data.messages.map(messageOf),
    ...parsed.data.statuses.map(statusOf),
    ...parsed.data.channelsUpdates.map(channelOf),
  ].filter((one) => one !== null);
}
