/**
 * The thread as the console caches it: a window of messages without gaps, oldest first, then those that have not left
 * yet. Pure functions, so that the effect of a live event, a response or a page of history can be tested without a
 * browser.
 */

import type { Note } from '../../../desk/contract.ts';
import type { Message, MessageStatus, ThreadPage } from '../../contract.ts';
import type { Pending } from './pendingMessages.ts';

export interface Thread extends ThreadPage {
  /** The message around which the window was first loaded; null: it began with the newest ones. */
  anchor: number | null;
}

export const EMPTY_THREAD: Thread = { items: [], has_more: false, has_newer: false, anchor: null };

/**
 * Compare by `thread_at`, then by id. Messages that have not left yet come last, soonest first: their place is known
 * when they leave.
 */
function compareMessages(a: Message, b: Message): number {
  if (isQueued(a) !== isQueued(b)) return isQueued(a) ? 1 : -1;
  const atA = isQueued(a) ? (a.scheduled_at ?? a.thread_at) : a.thread_at;
  const atB = isQueued(b) ? (b.scheduled_at ?? b.thread_at) : b.thread_at;
  if (atA !== atB) return atA < atB ? -1 : 1;
  return a.id - b.id;
}

function isQueued(message: Message): boolean {
  return message.status === 'scheduled' || message.status === 'sending';
}

/** Return the messages with a final place. History is read onwards from the first and the last of them. */
export function deliveredIn({ items }: Pick<ThreadPage, 'items'>): Message[] {
  return items.filter((item) => !isQueued(item));
}

/**
 * Progress of each status. Statuses of one rank may follow each other in both directions (an unconfirmed message
 * turns out sent, a sent one rejected); a lower rank after a higher one is outdated.
 */
const PROGRESS: Record<MessageStatus, number> = {
  scheduled: 0,
  sending: 0,
  inbound: 1,
  sent: 1,
  unconfirmed: 1,
  error: 1,
  cancelled: 1,
  delivered: 2,
  read: 3,
};

/**
 * Whether `incoming` is older than the cached version: the response to a call may arrive after the live events that
 * followed it. A retry returns to `scheduled` and increases the count, so the count decides first.
 */
export function isOutdated(existing: Message, incoming: Message): boolean {
  if (incoming.retry_count !== existing.retry_count) return incoming.retry_count < existing.retry_count;
  return PROGRESS[incoming.status] < PROGRESS[existing.status];
}

/** Put a message into the thread, once, at its place. A message outside the window is left to its page. */
export function upsertMessage(thread: Thread, incoming: Message): Thread {
  const index = thread.items.findIndex((item) => item.id === incoming.id);
  const existing = thread.items[index];
  if (existing && isOutdated(existing, incoming)) return thread;
  if (existing && compareMessages(existing, incoming) === 0)
    return { ...thread, items: thread.items.with(index, incoming) };
  const others = existing ? thread.items.toSpliced(index, 1) : thread.items;
  if (isOutside({ ...thread, items: others }, incoming)) return { ...thread, items: others };
  let position = others.length;
  while (position > 0) {
    const before = others[position - 1];
    if (!before || compareMessages(before, incoming) < 0) break;
    position -= 1;
  }
  return { ...thread, items: others.toSpliced(position, 0, incoming) };
}

function isOutside(thread: Thread, incoming: Message): boolean {
  const delivered = deliveredIn(thread);
  const [first, last] = [delivered[0], delivered.at(-1)];
  if (isQueued(incoming) || !first || !last) return false;
  return (
    (thread.has_more && compareMessages(incoming, first) < 0) ||
    (thread.has_newer && compareMessages(incoming, last) > 0)
  );
}

export function removeMessage(thread: Thread, id: number): Thread {
  if (!thread.items.some((item) => item.id === id)) return thread;
  return { ...thread, items: thread.items.filter((item) => item.id !== id) };
}

/** Prepend the page that ends just before the window. */
export function prependPage(thread: Thread, page: ThreadPage): Thread {
  return { ...thread, items: union(thread.items, page.items), has_more: page.has_more };
}

/** Append the page that begins just after the window. */
export function appendPage(thread: Thread, page: ThreadPage): Thread {
  return { ...thread, items: union(thread.items, page.items), has_newer: page.has_newer };
}

/**
 * Merge a fresh read with the cached window. Loaded messages outside the fresh ones stay if the two overlap; if not,
 * messages between them are missing, and keeping them would hide the gap.
 */
export function mergeRefresh(current: Thread | undefined, fresh: Thread): Thread {
  const delivered = deliveredIn(fresh);
  const indexOf = (message: Message | undefined) => current?.items.findIndex((item) => item.id === message?.id) ?? -1;
  const [start, end] = [indexOf(delivered[0]), indexOf(delivered.at(-1))];
  if (!current || (start < 0 && end < 0)) return fresh;
  const older = fresh.has_more ? current.items.slice(0, Math.max(0, start)) : [];
  const newer = fresh.has_newer && end >= 0 ? deliveredIn({ items: current.items.slice(end + 1) }) : [];
  return {
    items: union(fresh.items, [...older, ...newer]),
    has_more: older.length > 0 ? current.has_more : fresh.has_more,
    has_newer: newer.length > 0 ? current.has_newer : fresh.has_newer,
    anchor: current.anchor,
  };
}

/** Return all of `items`, and those of `others` that are not among them, in the order of the conversation. */
function union(items: readonly Message[], others: readonly Message[]): Message[] {
  const ids = new Set(items.map((item) => item.id));
  return [...items, ...others.filter((item) => !ids.has(item.id))].sort(compareMessages);
}

/**
 * Tolerance, milliseconds: an immediate message has a scheduled time too, and browsers' clocks differ a little from
 * the server's.
 */
const IMMEDIATE_WITHIN_MS = 5000;

/** Whether a message is scheduled for a future time: the strip shows it, not the thread. */
export function isScheduledLater(message: Message, now: number): boolean {
  if (message.status !== 'scheduled' || message.scheduled_at === null) return false;
  const at = Date.parse(message.scheduled_at);
  return at > now && at - Date.parse(message.thread_at) > IMMEDIATE_WITHIN_MS;
}

/**
 * Return the latest time at which a scheduled message became due, milliseconds; it changes only when another one
 * becomes due.
 */
export function latestDue(items: readonly Message[], now: number): number {
  let latest = 0;
  for (const item of items) {
    if (item.status !== 'scheduled' || item.scheduled_at === null) continue;
    const due = Date.parse(item.scheduled_at);
    if (due <= now && due > latest) latest = due;
  }
  return latest;
}

/** One row of the thread: a message of the server, a pending bubble, or a note of an operator. */
export interface Row {
  key: string;
  message: Message | null;
  pending: Pending | null;
  note: Note | null;
  /**
   * Local date `YYYY-MM-DD` if this row opens a new day. It is part of the row, so that no row disappears when older
   * messages of the same day are prepended, which would make the view jump.
   */
  day: string | null;
  /** Whether the 'new messages' line is above this row. */
  opensNew: boolean;
  /** Whether the row continues the one above: same author, within five minutes. */
  isGrouped: boolean;
}

const GROUP_WITHIN_MS = 5 * 60_000;

/**
 * Return the rows to show, oldest first. What has not left yet belongs after the newest message, so it is left out
 * while the window does not reach that. Leaves out a pending bubble whose `client_key` the server already has. The
 * row keeps its key, so the bubble turns into the message in place.
 *
 * @param ownLogin login of the operator at this console, who wrote the pending bubbles.
 */
export function rowsOf({
  items,
  hasMore = false,
  hasNewer,
  pending,
  notes = [],
  now,
  firstNewId,
  ownLogin,
}: {
  items: readonly Message[];
  /** Whether there are messages before the window. */
  hasMore?: boolean;
  /** Whether there are messages after the window. */
  hasNewer: boolean;
  pending: readonly Pending[];
  /** Oldest first; those outside the window are left out. */
  notes?: readonly Note[];
  now: number;
  firstNewId: number | null;
  ownLogin: string;
}): Row[] {
  const list = createRowList(firstNewId);
  const storedKeys = new Set<string>();
  const waitingNotes = [...notes];
  const pushNotes = (until: number) => {
    for (let [note] = waitingNotes; note && Date.parse(note.created_at) <= until; [note] = waitingNotes) {
      waitingNotes.shift();
      // Older than the window.
      if (hasMore && list.rows.length === 0) continue;
      const at = Date.parse(note.created_at);
      list.push({ key: `note ${note.id}`, at, author: `note ${note.operator}`, content: { note } });
    }
  };
  for (const message of items) {
    if (message.client_key !== null) storedKeys.add(message.client_key);
    if (isScheduledLater(message, now) || (hasNewer && isQueued(message))) continue;
    const author = message.author === 'operator' ? operatorAuthor(message.operator) : message.author;
    const at = Date.parse(message.thread_at);
    if (!isQueued(message)) pushNotes(at);
    list.push({ key: rowKey(message), at, isLast: isQueued(message), author, content: { message } });
  }
  if (!hasNewer) pushNotes(Number.POSITIVE_INFINITY);
  for (const bubble of hasNewer ? [] : pending) {
    if (storedKeys.has(bubble.client_key)) continue;
    // A scheduled message is shown in the strip; it appears here only if sending it to the server failed.
    if (bubble.send_not_before !== null && bubble.state === 'sending') continue;
    const author = operatorAuthor(ownLogin);
    list.push({ key: bubble.client_key, at: bubble.at, isLast: true, author, content: { pending: bubble } });
  }
  return list.rows;
}

interface RowInput {
  readonly key: string;
  /** Milliseconds. */
  readonly at: number;
  /** It has no final place yet, and is not older than what is above it. */
  readonly isLast?: boolean;
  readonly author: string;
  readonly content: { message?: Message; pending?: Pending; note?: Note };
}

/** Collect rows, each with its day and whether it continues the one above. */
function createRowList(firstNewId: number | null) {
  const rows: Row[] = [];
  let lastDay: string | null = null;
  let lastAuthor: string | null = null;
  let lastAt = 0;
  return {
    rows,
    push({ key, at: ownAt, isLast = false, author, content }: RowInput) {
      const at = isLast ? Math.max(ownAt, lastAt) : ownAt;
      const day = localDay(at);
      const opensDay = day !== lastDay;
      const { message = null, pending = null, note = null } = content;
      const opensNew = message !== null && message.id === firstNewId;
      const isGrouped = !opensDay && !opensNew && author === lastAuthor && at - lastAt < GROUP_WITHIN_MS;
      rows.push({ key, message, pending, note, day: opensDay ? day : null, opensNew, isGrouped });
      lastDay = day;
      lastAuthor = author;
      lastAt = at;
    },
  };
}

/** Return the key of a message's row: the bubble's own id if it began as one. */
function rowKey(message: Message): string {
  return message.client_key ?? `message ${message.id}`;
}

function operatorAuthor(login: string | null): string {
  return `operator ${login ?? ''}`;
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
