/**
 * Sends alerts to browsers through their push services: one message when a lead comes to need people, and one that
 * withdraws it. A process that dies between sending and storing the outcome sends the same message again: its tag makes
 * push service and browser replace the first one, so that one notification is shown.
 */
import type { SweepTools } from '../../jobs/sweeps.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { retryDelaySeconds } from '../../platform/backoff.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../../platform/retryWhileDatabaseUnavailable.ts';
import { decidePush } from './decidePush.ts';
import { type PushOutcome, sendPush } from './pushService.ts';
import {
  type ClaimedPush,
  claimPush,
  deferPush,
  findDuePushes,
  PUSHES,
  planPushes,
  recordAttempt,
  releasePush,
  retryPush,
  settlePush,
} from './store/pushes.ts';
import { deleteSubscription, recordPushError } from './store/subscriptions.ts';

/** The trigger `track_alert` wakes it by this name. */
export const ALERTS_SWEEP = 'alerts';

const LIMIT = 200;
/** With the backoff, an hour and a half. */
const MAX_ATTEMPTS = 25;
const MAX_RETRY_AFTER_SECONDS = 3600;

/** Plan pushes for alerts that have changed, and start those that are due. Resolves to true if more alerts wait. */
export async function pushAlerts(context: AppContext, { start }: SweepTools): Promise<boolean> {
  const planned = await context.transact((tx) => planPushes(tx, LIMIT));
  failpoint('push.afterPlan');
  // One push service that hangs does not delay the others.
  for (const { id, host } of await findDuePushes(context.reader, LIMIT))
    start(`push ${host}`, `push ${id}`, () => push(context, id));
  return planned === LIMIT;
}

async function push(context: AppContext, id: number): Promise<void> {
  const claimed = await claimPush(context.reader, id, context);
  if (claimed === null) return;
  failpoint('push.afterClaim');
  try {
    await context.claims.hold(PUSHES, [{ id }], () => carryOut(context, claimed));
  } finally {
    await retryWhileDatabaseUnavailable(context, () => releasePush(context.reader, id, context.instanceId));
  }
  failpoint('push.afterSettle');
}

async function carryOut(context: AppContext, claimed: ClaimedPush): Promise<void> {
  const { reader, instanceId } = context;
  const decision = decidePush(claimed);
  switch (decision.kind) {
    case 'skip':
      return settlePush(reader, claimed, { to: 'skipped' });
    case 'withdraw':
      return settlePush(reader, claimed, { to: 'withdrawing' });
    case 'defer':
      return deferPush(reader, claimed, decision.until);
    case 'send': {
      if (!(await recordAttempt(reader, claimed, instanceId))) return;
      failpoint('push.beforeRequest');
      const outcome = await sendPush(context, claimed, decision.message);
      failpoint('push.afterAnswer');
      return settle(context, claimed, outcome);
    }
    default:
      return decision satisfies never;
  }
}

async function settle(context: AppContext, claimed: ClaimedPush, outcome: PushOutcome): Promise<void> {
  const { reader } = context;
  switch (outcome.kind) {
    case 'accepted':
      return settlePush(reader, claimed, { to: claimed.state === 'pending' ? 'shown' : 'withdrawn' });
    case 'gone':
      return deleteSubscription(reader, claimed.endpointHash);
    case 'refused':
      await recordPushError(reader, claimed.endpointHash, outcome.reason);
      return settlePush(reader, claimed, { to: 'failed', error: outcome.reason });
    case 'later': {
      await recordPushError(reader, claimed.endpointHash, outcome.reason);
      if (claimed.attempts + 1 >= MAX_ATTEMPTS)
        return settlePush(reader, claimed, { to: 'failed', error: outcome.reason });
      const seconds = Math.max(
        retryDelaySeconds(context, claimed.attempts),
        Math.min(outcome.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS),
      );
      return retryPush(reader, claimed, { seconds, error: outcome.reason });
    }
    default:
      return outcome satisfies never;
  }
}
