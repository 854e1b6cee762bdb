/**
 * What a dialogue needs from people because of what became of our messages: failed ones, doubtful ones, and whether the
 * lead still waits.
 */
import { type Delivery, hasLeft } from './message.ts';

/** Of a dialogue, by the names of its columns. Instants are milliseconds since 1970 on the domain clock. */
export interface Needs {
  readonly last_user_msg_at: number | null;
  readonly last_bot_msg_id: number | null;
  readonly last_message: string | null;
  readonly last_msg_created_at: number | null;
  /** Since when the lead waits for people. */
  readonly waiting_since: number | null;
  readonly failed_since: number | null;
  readonly unconfirmed_since: number | null;
  readonly snoozed_until: number | null;
  readonly snoozed_until_reply: boolean;
  /** When somebody said that it needs nothing more. */
  readonly done_at: number | null;
}

/** A person has seen to a dialogue. */
export const SEEN_TO = {
  waiting_since: null,
  hand_over_open: false,
  failed_since: null,
  unconfirmed_since: null,
  snoozed_until: null,
  snoozed_until_reply: false,
} as const;

export type NeedsEvent =
  /** A message of ours has left, but not by us: somebody has written on the phone, or another program has. */
  | { readonly kind: 'left_elsewhere'; readonly message: number; readonly at: number; readonly preview: string }
  /** Its newest message has other words now. */
  | { readonly kind: 'newest_changed'; readonly preview: string }
  /** What was to be sent is not: this is since when the lead waits then. */
  | { readonly kind: 'wait_reopened'; readonly since: number | null };

/** Decide what an event changes. */
export function decideNeeds(needs: Needs, event: NeedsEvent): Partial<Needs> {
  switch (event.kind) {
    case 'left_elsewhere': {
      const { message, at, preview } = event;
      return noteDeparture(needs, message, { thread_at: at, created_at: at, preview });
    }
    case 'newest_changed':
      return { last_message: event.preview };
    case 'wait_reopened':
      return needs.done_at === null ? { waiting_since: event.since } : {};
    default:
      return event satisfies never;
  }
}

/** Failed and doubtful messages of a dialogue that people see to, by id. */
export type Failing = ReadonlyMap<number, 'error' | 'unconfirmed'>;

/** Whether people have to see to a message. Outreach has a list of its own: nobody waits for its messages. */
export function failureOf({
  status,
  origin,
  removed_at: removedAt,
}: Pick<Delivery, 'status' | 'origin' | 'removed_at'>): 'error' | 'unconfirmed' | null {
  if (origin !== null || removedAt !== null) return null;
  return status === 'error' || status === 'unconfirmed' ? status : null;
}

/** Note in its dialogue what became of a message. `failing`: after it. Returns what changes. */
export function noteDelivery(
  needs: Needs,
  { id, before, after, failing, now }: { id: number; before: Delivery; after: Delivery; failing: Failing; now: number },
): Partial<Needs> {
  const changes = noteFailure(needs, { before, after, failing, now });
  return !hasLeft(before) && hasLeft(after) ? { ...changes, ...noteDeparture(needs, id, after) } : changes;
}

/**
 * A failure ends a snooze: whoever snoozed the dialogue took the message for delivered, and a lead who has not got it may
 * never write.
 */
function noteFailure(
  needs: Needs,
  { before, after, failing, now }: { before: Delivery; after: Delivery; failing: Failing; now: number },
): Partial<Needs> {
  const failure = failureOf(after);
  if (failure === failureOf(before)) return {};
  const kinds = new Set(failing.values());
  return {
    failed_since: kinds.has('error') ? (needs.failed_since ?? (failure === 'error' ? now : null)) : null,
    unconfirmed_since: kinds.has('unconfirmed')
      ? (needs.unconfirmed_since ?? (failure === 'unconfirmed' ? now : null))
      : null,
    ...(failure === null ? {} : { snoozed_until: null, snoozed_until_reply: false }),
  };
}

/** A message that was written before the lead's last one answers it not. One of which we learn late is not the newest. */
function noteDeparture(
  needs: Needs,
  id: number,
  message: Pick<Delivery, 'thread_at' | 'created_at' | 'preview'>,
): Partial<Needs> {
  const { waiting_since: waiting, last_user_msg_at: lastUserAt, last_msg_created_at: newest } = needs;
  const at = message.thread_at;
  const isNewest = newest === null || at >= newest;
  return {
    ...(isNewest ? { last_bot_msg_id: id, last_message: message.preview, last_msg_created_at: at } : {}),
    waiting_since: waiting !== null && lastUserAt !== null && lastUserAt > message.created_at ? lastUserAt : null,
  };
}
