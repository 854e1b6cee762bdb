/** Parses Wazzup24's hooks leniently into `HookItem`s. One body may contain messages, statuses and channel updates. */
import { z } from 'zod';
import { type Chat, readTelegramChat, readWhatsappChat } from '../chats.ts';
import { editStatus, type HookItem } from '../driver.ts';
import { epochMs, flag, list, words } from '../hookFields.ts';
import type { MessageKind } from '../messageKindContract.ts';
import { kindOfType, unknownText } from '../messengerTypes.ts';
import { refusalAboutOf } from './codes.ts';

// An id or a time may come as a number; a status in other letters.
const text = z.string().nullish().catch(null);
const time = z.union([z.string(), z.number()]).nullish().catch(null);
const word = z.string().trim().toLowerCase();
/** An error, of which only the code may come. */
const error = z
  .union([
    z.object({ error: text, description: text }),
    z
      .string()
      .min(1)
      .transform((code) => ({ error: code, description: null })),
  ])
  .nullish()
  .catch(null);
const requiredId = z
  .union([z.string().min(1), z.int()])
  .transform(String)
  .pipe(z.string().max(200));
const id = requiredId.nullish().catch(null);

const messageItem = z.object({
  messageId: requiredId,
  channelId: requiredId,
  chatType: text,
  // A message whose chat is not named is stored as ignored.
  chatId: id,
  dateTime: time,
  type: text,
  isEcho: flag,
  contact: z
    // `user_id` and `parent_user_id`: as Meta names a person whose phone it withholds.
    .object({
      name: text,
      username: text,
      phone: z.coerce.string().nullish().catch(null),
      user_id: id,
      parent_user_id: id,
    })
    .nullish()
    .catch(null),
  text: words,
  contentUri: text,
  status: word.nullish().catch(null),
  error,
  authorName: text,
  isEdited: flag,
  isDeleted: flag,
  oldInfo: z.object({ oldText: text }).nullish().catch(null),
  quotedMessage: z.object({ messageId: text, id: text }).nullish().catch(null),
  interactive: z
    .array(z.object({ title: text, text }))
    .nullish()
    .catch(null),
  // Not documented for this vendor; as the messengers' own interfaces name it.
  reaction: z.object({ emoji: text, text, messageId: text }).nullish().catch(null),
});
const statusItem = z.object({
  messageId: requiredId,
  timestamp: time,
  status: word.pipe(z.enum(['sent', 'delivered', 'read', 'error', 'edited'])),
  error,
});
const channelItem = z.object({
  channelId: requiredId,
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
const hookBody = z.object({ messages: list, statuses: list, channelsUpdates: list });

/**
 * Convert a time of the vendor to an instant; samples without a zone exist and mean UTC. Null if unreadable: of
 * `02.01.2026`, the language would take the day for the month.
 */
function instantOf(sent: string | number | null | undefined): string | null {
  if (sent === null || sent === undefined) return null;
  if (typeof sent === 'number' || /^\d+$/.test(sent)) {
    const ms = epochMs(Number(sent));
    return ms === null ? null : new Date(ms).toISOString();
  }
  if (!/^\d{4}-\d{2}-\d{2}/.test(sent)) return null;
  const at = new Date(/(?:Z|[+-]\d{2}:?\d{2})$/.test(sent) ? sent : `${sent}Z`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const OUTGOING = new Set(['sent', 'delivered', 'read', 'error']);

type Item = z.output<typeof messageItem>;

function messageOf(raw: unknown): HookItem | null {
  const parsed = messageItem.safeParse(raw);
  if (!parsed.success) return null;
  const item = parsed.data;
  // A message is inbound if its status says so and it is no echo; if the status is missing, the echo flag decides. So it
  // does if the status is a word that the vendor does not document, unless somebody of ours is named as its author.
  const isUnknown = item.status != null && !OUTGOING.has(item.status) && item.isEcho === false && !item.authorName;
  const inbound = item.isEcho !== true && (item.status === 'inbound' || !item.status || isUnknown);
  const status = inbound ? 'inbound' : item.status && OUTGOING.has(item.status) ? item.status : 'sent';
  const refersTo = item.reaction?.messageId ?? item.quotedMessage?.messageId ?? item.quotedMessage?.id;
  const message: HookItem = {
    kind: 'message',
    channelRef: item.channelId,
    extId: item.messageId,
    status,
    ...chatOf(item),
    occurredAt: instantOf(item.dateTime),
    ...contentOf(item),
    mediaUrl: item.contentUri ?? null,
    name: item.contact?.name ?? null,
    errorCode: item.error?.error ?? null,
    errorReason: item.error?.description ?? null,
    ...(refersTo ? { refersTo } : {}),
  };
  return changeOf(item, message) ?? message;
}

/** Return the edit or deletion that an item reports of a message; null if the item is the message itself. */
function changeOf({ isEdited, isDeleted, isEcho, status, oldInfo }: Item, message: HookItem): HookItem | null {
  // An edit's status is that of its message, or a word of its own.
  const byStatus = status === 'inbound' ? true : status && OUTGOING.has(status) ? false : null;
  const inbound = isEcho === true ? false : byStatus;
  const isOurs = inbound === null ? {} : { isOurs: !inbound };
  if (isDeleted) return { ...message, ...isOurs, kind: 'deletion', status: 'deleted', text: '' };
  if (!isEdited && status !== 'edited') return null;
  const edit = { ...message, ...isOurs, kind: 'edit', textBefore: oldInfo?.oldText ?? null } as const;
  return { ...edit, status: editStatus(edit) };
}

/** Return what a message says, and its kind. The vendor documents few types; others are as the messengers name them. */
function contentOf({
  type,
  text: words,
  contentUri,
  interactive,
  reaction,
}: Item): Pick<HookItem, 'text' | 'mediaKind'> {
  if (reaction) {
    const emoji = (reaction.emoji ?? reaction.text ?? words ?? '').trim();
    const mediaKind: MessageKind = emoji === '' ? 'removed reaction' : 'reaction';
    return { text: emoji, mediaKind };
  }
  const pressed = interactive?.map((one) => one.title ?? one.text ?? '').find((title) => title.trim() !== '');
  const text = words?.trim() ? words : '';
  const mediaKind = kindOfType(type ?? 'text');
  if (mediaKind === 'text' && text === '' && pressed) return { text: pressed, mediaKind: 'button reply' };
  if (mediaKind !== null && mediaKind !== 'unknown') return { text: text || pressed || '', mediaKind };
  if (type?.toLowerCase() === 'interactive' && (text || pressed))
    return { text: text || pressed || '', mediaKind: 'button reply' };
  if (text) return { text, mediaKind: 'text' };
  if (contentUri) return { text: '', mediaKind: 'document' };
  return { text: type?.toLowerCase() === 'unknown' ? '' : unknownText(type ?? ''), mediaKind: 'unknown' };
}

/** Read the chat of a message. Without a type, the messenger is WhatsApp, unless the contact has a username. */
function chatOf({ contact, chatType, chatId }: z.output<typeof messageItem>): Chat {
  const type = chatType?.toLowerCase() ?? null;
  const { phone, username } = contact ?? {};
  if (type === 'whatsapp' || type === 'whatsgroup' || (type === null && !username))
    return readWhatsappChat({
      chatId: chatId ?? null,
      phone,
      otherIds: [contact?.user_id, contact?.parent_user_id],
      isGroup: type === 'whatsgroup',
    });
  return readTelegramChat({ chatId: chatId ?? null, phone, username, kind: type });
}

const BLANK = {
  text: '',
  mediaKind: 'text',
  mediaUrl: null,
  notPerson: null,
  name: null,
  address: null,
  errorCode: null,
  errorReason: null,
} as const;

function statusOf(raw: unknown): HookItem | null {
  const parsed = statusItem.safeParse(raw);
  if (!parsed.success) return null;
  const { messageId, timestamp, status, error } = parsed.data;
  // The new words come with a message; this only says that there are some.
  if (status === 'edited') {
    const edit = { text: '', textBefore: null, occurredAt: instantOf(timestamp) };
    const where = { channelRef: null, extId: messageId, chatId: null };
    return { ...BLANK, ...edit, ...where, kind: 'edit', status: editStatus(edit) };
  }
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
