/**
 * A message of ours that waits to be sent: what takes it, holds it back, moves it or ends it. Whether it may leave is decided
 * before; here is what that means to the message and to the other parts of its text.
 */
import { type Delivery, type DeliveryDecision, mayHaveArrived, type Now } from './message.ts';

export type WaitingEvent =
  /**
   * An instance sends it. `keySeconds`: how long the vendor recognises a key; `key`: a new one, in case it has forgotten that
   * of a try before.
   */
  | {
      readonly kind: 'claimed';
      readonly by: string;
      readonly leaseSeconds: number;
      readonly keySeconds: number;
      readonly key: string;
    }
  /** Why it does not leave yet. */
  | { readonly kind: 'noted'; readonly reason: string }
  /** It leaves at another time, because of hours or limits. `reason` null: the reason of the part before it is enough. */
  | { readonly kind: 'deferred'; readonly at: number; readonly reason: string | null }
  /** The hours that it was moved for are others now: it leaves when it was to leave before, and is moved again if need be. */
  | { readonly kind: 'restored' }
  /** It could not be claimed for a fault of ours. */
  | { readonly kind: 'postponed'; readonly reason: string }
  /** An operator has it sent at once, whatever the hours are. */
  | { readonly kind: 'sent_now' }
  /** The vendor has forgotten the key of a try that may have arrived. */
  | { readonly kind: 'expired'; readonly reason: string }
  | { readonly kind: 'cancelled'; readonly reason: string };

const NO_CHANGE = { refused: 'no_change' } as const;

/** The pause after a fault of ours lasts as long as the message has been due, so that it doubles: within these bounds. */
const PAUSE_MS = { least: 5000, most: 300_000 } as const;

/** Decide what an event does to a message that waits. */
export function decideWaiting(message: Delivery, event: WaitingEvent, now: Now): DeliveryDecision {
  const { status, scheduled_at: scheduledAt } = message;
  if (status !== 'scheduled' || scheduledAt === null) return NO_CHANGE;
  switch (event.kind) {
    case 'claimed':
      return claim(message, event, now);
    case 'noted':
      return { fact: 'noted', changes: { reason: event.reason } };
    case 'deferred':
      return {
        fact: 'moved',
        changes: {
          scheduled_at: event.at,
          originally_scheduled_at: message.originally_scheduled_at ?? scheduledAt,
          ...(event.reason === null ? {} : { reason: event.reason }),
        },
      };
    case 'restored': {
      const { originally_scheduled_at: at } = message;
      return at === null ? NO_CHANGE : { fact: 'moved', changes: { scheduled_at: at, originally_scheduled_at: null } };
    }
    case 'postponed': {
      const pause = Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, now.domain - scheduledAt));
      return { fact: 'postponed', changes: { reason: event.reason, retry_at: now.real + pause } };
    }
    case 'sent_now':
      return {
        fact: 'moved',
        changes: {
          scheduled_at: Math.min(scheduledAt, now.domain),
          originally_scheduled_at: null,
          retry_at: null,
          schedule_enabled: false,
        },
      };
    case 'expired':
      if (!mayHaveArrived(message)) return NO_CHANGE;
      return {
        fact: 'lost',
        changes: { status: 'unconfirmed', reason: event.reason, unconfirmed_at: now.real, retry_at: null },
      };
    case 'cancelled':
      return { fact: 'cancelled', changes: { status: 'cancelled', reason: event.reason, retry_at: null } };
    default:
      return event satisfies never;
  }
}

/** A key that the vendor has forgotten is replaced, unless a try under it may have arrived: then the message is not sent. */
function claim(
  message: Delivery,
  { by, leaseSeconds, keySeconds, key }: Extract<WaitingEvent, { kind: 'claimed' }>,
  now: Now,
): DeliveryDecision {
  const usedAt = message.send_key_used_at;
  const isForgotten = usedAt !== null && now.real - usedAt > keySeconds * 1000;
  if (isForgotten && mayHaveArrived(message)) return NO_CHANGE;
  return {
    fact: 'claimed',
    changes: {
      status: 'sending',
      claimed_by: by,
      claimed_until: now.real + leaseSeconds * 1000,
      claimed_at: now.real,
      attempts: message.attempts + 1,
      retry_at: null,
      reason: null,
      error_code: null,
      ...(isForgotten ? { send_key: key } : {}),
      ...(isForgotten || usedAt === null ? { send_key_used_at: now.real } : {}),
    },
  };
}

/** Messages that waiting ones are chosen from, by id. */
type Messages = ReadonlyMap<number, Delivery>;

/** Return the ids of the parts of a message's text that wait, itself included. */
const partsOf = (messages: Messages, id: number): number[] => {
  const group = messages.get(id)?.part_group ?? null;
  return [...messages].flatMap(([other, { status, part_group: own }]) =>
    status === 'scheduled' && (other === id || (group !== null && own === group)) ? [other] : [],
  );
};

/**
 * Return what happens to the parts of a text when something happens to one: those behind it keep their distance when it is
 * moved; all that have not left are cancelled with it; those before it are sent at once with it.
 */
export function withParts(
  messages: Messages,
  id: number,
  event: Extract<WaitingEvent, { kind: 'deferred' | 'cancelled' | 'sent_now' }>,
): { readonly message: number; readonly event: WaitingEvent }[] {
  const parts = partsOf(messages, id);
  switch (event.kind) {
    case 'cancelled':
      return parts.map((message) => ({ message, event }));
    case 'sent_now':
      return parts.filter((part) => part <= id).map((message) => ({ message, event }));
    case 'deferred': {
      const distance = event.at - (messages.get(id)?.scheduled_at ?? event.at);
      return parts
        .filter((part) => part >= id)
        .map((message) => {
          const at = (messages.get(message)?.scheduled_at ?? event.at) + distance;
          return { message, event: message === id ? event : { kind: 'deferred', at, reason: null } };
        });
    }
    default:
      return event satisfies never;
  }
}

/** What has become pointless in a dialogue, or for a lead. */
export type Pointless =
  /** Every message, no matter who wrote it. */
  | { readonly kind: 'all' }
  /** Whatever the bot was to send. */
  | { readonly kind: 'of_bot' }
  /** The bot's answers to turns before this one. */
  | { readonly kind: 'answers'; readonly before: number }
  /** The bot's follow-ups. */
  | { readonly kind: 'follow_ups' }
  /** What announces a person of ours: one is there. */
  | { readonly kind: 'hand_over' }
  /** What answers nothing. */
  | { readonly kind: 'unsolicited' }
  /** The rest of a text. */
  | { readonly kind: 'parts'; readonly group: string };

/** Whether a message that waits is one of those. */
export function isPointless(message: Delivery, which: Pointless): boolean {
  const isOfBot = message.author === 'bot';
  switch (which.kind) {
    case 'all':
      return true;
    case 'of_bot':
      return isOfBot;
    case 'answers':
      return isOfBot && message.debounce_guard && message.turn !== null && message.turn < which.before;
    case 'follow_ups':
      return isOfBot && message.ping_step_number !== null;
    case 'hand_over':
      return message.origin === 'hand_over';
    case 'unsolicited':
      return message.reply_on_msg_id === null;
    case 'parts':
      return message.part_group === which.group;
    default:
      return which satisfies never;
  }
}
