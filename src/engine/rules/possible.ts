/** Which events may happen next: the chart, pages and random tests read it from the rules. */
import { type DeliveryEvent, decideDelivery } from './delivery.ts';
import type { Delivery } from './message.ts';

const INSTANCE = '00000000-0000-4000-8000-000000000001';

/** One event of each kind that means something else, as it may happen to this message. */
function samplesFor({ claimed_by: by, scheduled_at: at }: Delivery): Readonly<Record<string, DeliveryEvent>> {
  const claimant = by ?? '';
  const scheduledAt = at ?? 0;
  const reason = 'It said so';
  const report = { kind: 'reported', at: null, reason, code: 'CODE', about: null } as const;
  const rejected = {
    kind: 'rejected',
    by: claimant,
    reason,
    code: 'CODE',
    maybeDelivered: false,
    retrySeconds: 60,
  } as const;
  return {
    accepted: { kind: 'accepted', extId: 'id', pollSeconds: null },
    'rejected for good': { ...rejected, about: 'message' },
    'rejected for now': { ...rejected, about: 'passing' },
    'rejected, in doubt': { ...rejected, about: 'message', maybeDelivered: true },
    lost: { kind: 'lost', by: claimant, reason },
    withheld: { kind: 'withheld', by: claimant, reason },
    'reported sent': { ...report, status: 'sent' },
    'reported delivered': { ...report, status: 'delivered' },
    'reported read': { ...report, status: 'read' },
    'reported error': { ...report, status: 'error' },
    identified: { kind: 'identified', extId: 'id', pollSeconds: null },
    confirmed: { kind: 'confirmed' },
    retried: { kind: 'retried', key: 'key', turn: 1 },
    'retried under the same key': { kind: 'retried', key: null, turn: 1 },
    claimed: { kind: 'claimed', by: INSTANCE, leaseSeconds: 60, keySeconds: 60, key: 'key' },
    noted: { kind: 'noted', reason },
    deferred: { kind: 'deferred', reason, at: scheduledAt + 60_000 },
    restored: { kind: 'restored' },
    postponed: { kind: 'postponed', reason },
    sent_now: { kind: 'sent_now' },
    expired: { kind: 'expired', reason },
    cancelled: { kind: 'cancelled', reason },
    removed: { kind: 'removed' },
  };
}

/** Return the events that would change a message, with what they are called. */
export const possibleEvents = (message: Delivery): readonly (readonly [name: string, event: DeliveryEvent])[] =>
  Object.entries(samplesFor(message)).filter(
    ([, event]) => !('refused' in decideDelivery(message, event, { domain: message.created_at, real: 0 })),
  );
