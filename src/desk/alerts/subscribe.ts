/** Subscribes the browser of a session to pushes, ends that, and tests it. */
import type { AppContext } from '../../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../../platform/audit.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { refuse } from '../../platform/refuse.ts';
import { alertRefusals } from '../alertsContract.ts';
import { isPushService, type PushSubscription, sealSubscription, sendPush } from './pushService.ts';
import {
  deleteSubscription,
  deleteSubscriptionOf,
  findSubscription,
  storeSubscription,
} from './store/subscriptions.ts';

interface OwnBrowser extends WriteContext {
  readonly caller: Caller;
}

/** Subscribe the browser of the caller's session. The subscription ends with the session. */
export async function subscribe(context: AppContext, plain: PushSubscription, writing: OwnBrowser): Promise<void> {
  const { host } = new URL(plain.endpoint);
  if (!isPushService(context, plain.endpoint) || context.outbound.addressRefusal(plain.endpoint) !== null)
    throw refuse(alertRefusals, 'alerts.unknown_push_service', { host });
  const { id: operatorId, sessionId } = writing.caller;
  await context.transact(async (tx) => {
    const subscription = { ...sealSubscription(context, plain), operatorId, sessionId, host };
    // A console repeats it each time it opens, which is no change.
    if (!(await storeSubscription(tx, subscription))) return;
    await recordAuditEntry(tx, { ...writing, action: 'notifications on', noun: 'operator', rowId: operatorId });
  });
}

export async function unsubscribe(context: AppContext, writing: OwnBrowser): Promise<void> {
  const { id, sessionId } = writing.caller;
  await context.transact(async (tx) => {
    if (!(await deleteSubscriptionOf(tx, sessionId))) return;
    await recordAuditEntry(tx, { ...writing, action: 'notifications off', noun: 'operator', rowId: id });
  });
}

/** Send a test notification to the browser of a session. */
export async function sendTest(context: AppContext, sessionId: number): Promise<void> {
  const subscription = await findSubscription(context.reader, sessionId);
  if (subscription === null) throw refuse(alertRefusals, 'alerts.not_subscribed');
  const outcome = await sendPush(context, subscription, {
    type: 'show',
    tag: 'alert-test',
    title: 'Rapport',
    body: 'Notifications work in this browser',
    url: '/?page=account',
  });
  switch (outcome.kind) {
    case 'accepted':
      return;
    case 'gone':
      await deleteSubscription(context.reader, subscription.endpointHash);
      throw refuse(alertRefusals, 'alerts.not_subscribed');
    case 'refused':
    case 'later':
      throw refuse(alertRefusals, 'alerts.push_failed', { reason: outcome.reason });
    default:
      outcome satisfies never;
  }
}
