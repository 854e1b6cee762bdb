/** What the outcome of a try means to its message. Pure. */
import type { SendOutcome } from '../channels/driver.ts';
import type { DeliveryEvent } from '../engine/rules/delivery.ts';

/** `withheld`: it was not sent at all, and waits for its channel. */
export type TryOutcome = SendOutcome | { readonly kind: 'withheld'; readonly reason: string };

interface Try {
  /** The instance that has sent it. */
  readonly by: string;
  /** Whether a try before may have arrived. */
  readonly maybeDelivered: boolean;
  readonly extId: string | null;
  /** Seconds until the vendor is asked for the status; null: it reports it. */
  readonly pollSeconds: number | null;
  /** Least seconds until the next try. */
  readonly retrySeconds: number;
}

export function eventOfOutcome(outcome: TryOutcome, sent: Try): DeliveryEvent {
  const { by, maybeDelivered, extId, pollSeconds } = sent;
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', extId, pollSeconds };
    case 'unknown':
      return { kind: 'lost', by, reason: outcome.reason };
    case 'withheld':
      return { kind: 'withheld', by, reason: outcome.reason };
    case 'rejected': {
      const { about, reason, code, retryAfterSeconds } = outcome;
      const retrySeconds = Math.max(retryAfterSeconds ?? 0, sent.retrySeconds);
      return { kind: 'rejected', by, about, reason, code, maybeDelivered, retrySeconds };
    }
    default:
      return outcome satisfies never;
  }
}
