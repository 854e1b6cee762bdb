/** Decides what a browser is sent about an alert. Pure. */
import { notificationOf, type PushMessage, tagOf } from '../pushMessageContract.ts';
import { quietUntil } from '../quietHours.ts';
import type { ClaimedPush } from './store/pushes.ts';

export type PushDecision =
  | { readonly kind: 'send'; readonly message: PushMessage }
  /** `until` in milliseconds of the domain clock. */
  | { readonly kind: 'defer'; readonly until: number }
  | { readonly kind: 'skip' }
  /** It may have been shown. */
  | { readonly kind: 'withdraw' };

export function decidePush({
  alertId,
  state,
  attempts,
  isFor,
  isAllowed,
  settings,
  now,
  content,
}: ClaimedPush): PushDecision {
  if (state === 'withdrawing') return { kind: 'send', message: { type: 'withdraw', tag: tagOf(alertId) } };
  if (!isFor || !isAllowed || !settings.notifications || content === null)
    return { kind: attempts > 0 ? 'withdraw' : 'skip' };
  const until = quietUntil(settings.quiet_hours, now);
  if (until !== null) return { kind: 'defer', until };
  return { kind: 'send', message: notificationOf({ id: alertId, ...content }, settings) };
}
