/**
 * Delivery: how a message of ours gets to the lead. Its state, what may happen to it, and what follows. The vendor answers
 * a send, and reports on it before or after that, as often as it likes and in any order; both may be lost. What happens
 * while it waits is in `waiting.ts`.
 */
import {
  type Delivery,
  type DeliveryDecision,
  type DeliveryStatus,
  hasLeft,
  mayHaveArrived,
  type Now,
} from './message.ts';
import { decideRejection, type RejectedAbout, type Rejection } from './rejection.ts';
import { decideWaiting, type WaitingEvent } from './waiting.ts';

/** What a vendor reports of a message. */
export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'error';

export type DeliveryEvent =
  /** The vendor has accepted it. `extId` null: it does not say under which id. `pollSeconds`: it is asked for the status. */
  | { readonly kind: 'accepted'; readonly extId: string | null; readonly pollSeconds: number | null }
  /** The vendor has rejected it. `by`: who sent it. `retrySeconds`: the pause, if the attempt counts. */
  | ({ readonly kind: 'rejected'; readonly by: string; readonly retrySeconds: number } & Rejection)
  /** Nobody can tell whether it has arrived. */
  | { readonly kind: 'lost'; readonly by: string; readonly reason: string }
  /** It was not sent at all, since its channel had closed. */
  | { readonly kind: 'withheld'; readonly by: string; readonly reason: string }
  | {
      readonly kind: 'reported';
      readonly status: ReportedStatus;
      /** The vendor's time; null if it names none. */
      readonly at: number | null;
      readonly reason: string | null;
      readonly code: string | null;
      /** Who has to act on an error; null: only the message is concerned, or there is none. */
      readonly about: RejectedAbout | null;
    }
  /** The vendor's id has become known, by our key or our words. */
  | { readonly kind: 'identified'; readonly extId: string; readonly pollSeconds: number | null }
  /** An operator has seen it arrive. */
  | { readonly kind: 'confirmed' }
  /** It is to be sent again. `key`: under a new key; null: under that of the try before. */
  | { readonly kind: 'retried'; readonly key: string | null; readonly turn: number }
  | WaitingEvent
  /** It is hidden. */
  | { readonly kind: 'removed' };

const NO_CHANGE = { refused: 'no_change' } as const;
const NOT_DELIVERED = 'The vendor could not deliver it';
const RELEASED = { claimed_by: null, claimed_until: null } as const;
const NO_DOUBT = { unconfirmed_at: null, reason: null, error_code: null, retry_at: null } as const;

/** Decide what an event does to a message. */
export function decideDelivery(message: Delivery, event: DeliveryEvent, now: Now): DeliveryDecision {
  switch (event.kind) {
    case 'accepted':
      return accept(message, event, now);
    case 'reported':
      return event.status === 'error'
        ? reportError(message, event)
        : rise(message, { ...event, status: event.status }, now);
    case 'identified':
      return identify(message, event, now);
    case 'rejected':
    case 'lost':
    case 'withheld':
      if (message.status !== 'sending') return NO_CHANGE;
      // Another instance has reclaimed it: only its outcome counts.
      return message.claimed_by === event.by ? endTry(message, event, now) : { refused: 'not_ours' };
    case 'confirmed':
      if (message.status !== 'unconfirmed') return NO_CHANGE;
      return { fact: 'left', changes: { ...NO_DOUBT, status: 'sent', sent_at: message.sent_at ?? now.domain } };
    case 'retried':
      return retry(message, event, now);
    case 'claimed':
    case 'noted':
    case 'deferred':
    case 'restored':
    case 'postponed':
    case 'sent_now':
    case 'expired':
    case 'cancelled':
      return decideWaiting(message, event, now);
    case 'removed':
      return message.removed_at === null && message.status !== 'scheduled' && message.status !== 'sending'
        ? { fact: 'removed', changes: { removed_at: now.domain } }
        : NO_CHANGE;
    default:
      return event satisfies never;
  }
}

type EventOf<Kind extends DeliveryEvent['kind']> = Extract<DeliveryEvent, { kind: Kind }>;

/** The vendor is asked for the status of what it has, until that is final. */
function pollOf(status: DeliveryStatus, seconds: number | null, now: Now): Partial<Delivery> {
  const isOpen = status === 'sent' || status === 'delivered';
  return seconds === null || !isOpen ? {} : { status_due_at: now.real + seconds * 1000 };
}

/** A report may have come before the answer: then only the id is news. */
function accept(message: Delivery, { extId, pollSeconds }: EventOf<'accepted'>, now: Now): DeliveryDecision {
  if (!mayHaveArrived(message)) return extId === null ? NO_CHANGE : identify(message, { extId, pollSeconds }, now);
  return {
    fact: 'left',
    changes: {
      ...NO_DOUBT,
      ...RELEASED,
      ...pollOf('sent', extId === null ? null : pollSeconds, now),
      status: 'sent',
      sent_at: message.sent_at ?? now.domain,
      thread_at: now.domain,
      ext_id: extId ?? message.ext_id,
    },
  };
}

function identify(
  message: Delivery,
  { extId, pollSeconds }: Pick<EventOf<'identified'>, 'extId' | 'pollSeconds'>,
  now: Now,
): DeliveryDecision {
  const changes = {
    ...pollOf(message.status, pollSeconds, now),
    ...(message.ext_id === null ? { ext_id: extId } : {}),
  };
  return Object.keys(changes).length === 0 ? NO_CHANGE : { fact: 'identified', changes };
}

const RANKS = { sent: 1, delivered: 2, read: 3 } as const;

/** How far a message has come on the ladder that reports climb; null: no report means anything to it. */
function rankOf(message: Delivery): number | null {
  if (mayHaveArrived(message)) return 0;
  switch (message.status) {
    case 'sent':
    case 'delivered':
    case 'read':
      return RANKS[message.status];
    case 'error':
      return RANKS.sent;
    default:
      return null;
  }
}

/**
 * A status only rises. `delivered` and `read` also override an error, which counts only before delivery. Times never run
 * backwards: the vendor's clock may differ from ours, and after a lost answer the report of the first try may be older than
 * the answer to the second. A vendor's time ahead of ours is now.
 */
function rise(
  message: Delivery,
  { status, at }: { readonly status: keyof typeof RANKS; readonly at: number | null },
  now: Now,
): DeliveryDecision {
  const rank = rankOf(message);
  if (rank === null || rank >= RANKS[status]) return NO_CHANGE;
  const reported = Math.min(at ?? now.domain, now.domain);
  const sentAt = message.sent_at ?? reported;
  const isNew = !hasLeft(message);
  const confirmedAt = Math.max(message.sent_confirmation_at ?? reported, sentAt);
  return {
    fact: isNew ? 'left' : 'confirmed',
    changes: {
      ...NO_DOUBT,
      ...RELEASED,
      status,
      sent_at: sentAt,
      ...(isNew ? { thread_at: Math.max(message.thread_at, sentAt) } : {}),
      ...(status === 'sent' ? {} : { sent_confirmation_at: confirmedAt }),
      ...(status === 'read' ? { read_at: Math.max(message.read_at ?? reported, confirmedAt) } : {}),
    },
  };
}

function reportError(message: Delivery, { reason, code, about }: EventOf<'reported'>): DeliveryDecision {
  if (message.status !== 'sent' && !mayHaveArrived(message)) return NO_CHANGE;
  return {
    fact: 'failed',
    changes: {
      ...RELEASED,
      status: 'error',
      reason: reason ?? NOT_DELIVERED,
      error_code: code,
      retry_at: null,
      recipient_not_found: about === 'recipient' && message.origin === 'first',
    },
  };
}

/** The try has ended, and the vendor has not taken the message. */
function endTry(message: Delivery, event: EventOf<'rejected' | 'lost' | 'withheld'>, now: Now): DeliveryDecision {
  const { reason } = event;
  if (event.kind === 'withheld') return postpone(message, { reason, code: null, seconds: 0, counts: false }, now);
  if (event.kind === 'rejected') {
    const { code } = event;
    const { message: outcome, counts } = decideRejection(event, message.attempts);
    if (outcome === 'failed')
      return { fact: 'failed', changes: { ...RELEASED, status: 'error', reason, error_code: code } };
    if (outcome === 'requeued')
      return postpone(message, { reason, code, seconds: counts ? event.retrySeconds : 0, counts }, now);
  }
  return { fact: 'lost', changes: { ...RELEASED, status: 'unconfirmed', reason, unconfirmed_at: now.real } };
}

function postpone(
  message: Delivery,
  { reason, code, seconds, counts }: { reason: string; code: string | null; seconds: number; counts: boolean },
  now: Now,
): DeliveryDecision {
  return {
    fact: 'postponed',
    changes: {
      ...RELEASED,
      status: 'scheduled',
      reason,
      error_code: code,
      retry_at: now.real + seconds * 1000,
      ...(counts ? { retry_count: message.retry_count + 1 } : { attempts: message.attempts - 1 }),
    },
  };
}

/**
 * With the old key the message stays in doubt: if the vendor has forgotten the key when it is claimed, it is not sent. The
 * vendor's id of the try before is kept, since its echo may still come. It belongs to the present turn, and what the lead
 * has written before holds nothing back: whoever sends it again has seen that.
 */
function retry(message: Delivery, { key, turn }: EventOf<'retried'>, now: Now): DeliveryDecision {
  if (message.status !== 'error' && message.status !== 'unconfirmed') return NO_CHANGE;
  const { ext_id: extId, previous_ext_ids: previous } = message;
  return {
    fact: 'requeued',
    changes: {
      status: 'scheduled',
      scheduled_at: now.domain,
      retry_at: null,
      reason: null,
      error_code: null,
      ext_id: null,
      previous_ext_ids: extId === null ? previous : [...previous, extId],
      attempts: 0,
      retry_count: message.retry_count + 1,
      turn,
      debounce_guard: message.debounce_guard && message.author === 'bot',
      ...(key === null
        ? { unconfirmed_at: message.unconfirmed_at ?? now.real }
        : { unconfirmed_at: null, send_key: key, send_key_used_at: null }),
    },
  };
}
