/** The regular sync of an account: check its connection and its hooks, and read what has changed. */
import { deferFailed } from '../jobs/deferFailed.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { isSubscribed, subscribe } from './amocrm/api.ts';
import { refreshIfIdle } from './amocrm/tokens.ts';
import { confirmDisconnect } from './disconnect.ts';
import { hookAddress } from './hookAddress.ts';
import {
  type Account,
  claimAccount,
  findAccount,
  releaseAccount,
  SYNCED_ACCOUNTS,
  saveError,
  saveHooks,
  scheduleSync,
} from './store/accounts.ts';
import { syncCards } from './syncCards.ts';
import { type SyncFailure, toFailure } from './syncFailure.ts';

/** Do what is due for an account, and schedule its next sync. */
export async function syncAccount(context: AppContext, integrationId: number): Promise<void> {
  const claimed = await claimAccount(context.reader, integrationId, context);
  if (!claimed) return;
  const { attempts } = claimed;
  try {
    const rows = [{ crm_integration_id: integrationId }];
    await context.claims.hold(SYNCED_ACCOUNTS, rows, (signal) => syncClaimed(context, integrationId, signal));
  } catch (error) {
    await deferFailed(context, { error, attempts }, (seconds) =>
      scheduleSync(context.reader, { id: integrationId, seconds, attempts: attempts + 1 }),
    );
  } finally {
    await releaseAccount(context.reader, integrationId, context.instanceId);
  }
}

async function syncClaimed(context: AppContext, integrationId: number, signal: AbortSignal): Promise<void> {
  const account = await findAccount(context.reader, integrationId, context.config.crmPollSeconds);
  if (!account || account.state === 'disconnected') return;
  const scheduleNext = (seconds: number, tries: number) =>
    scheduleSync(context.reader, { id: integrationId, seconds, attempts: tries });
  if (account.disconnect_requested && (await confirmDisconnect(context, account)) === 'unknown')
    return scheduleNext(retryDelaySeconds(context, account.attempts), account.attempts + 1);
  if (account.state !== 'connected') return;
  await refreshIfIdle(context, account);
  const failed = (await ensureSubscribed(context, account)) ?? (await syncCards(context, account, signal));
  if (!failed) return scheduleNext(Math.min(60, context.config.crmPollSeconds), 0);
  if (failed.kind === 'reconnect') return scheduleNext(60, 0);
  await saveError(context.reader, integrationId, failed.reason);
  const retrySeconds = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
  return scheduleNext(retrySeconds ?? retryDelaySeconds(context, account.attempts), account.attempts + 1);
}

/**
 * Subscribe to hooks, or check (once a day) whether the subscription is still active: amoCRM disables an address that
 * failed often.
 */
async function ensureSubscribed(context: AppContext, account: Account): Promise<SyncFailure | null> {
  if (!account.hooks_due) return null;
  const { crm_integration_id: id } = account;
  const address = hookAddress(context, account);
  const subscription = await isSubscribed(context, id, address);
  if (subscription.kind === 'away' || subscription.kind === 'reconnect') return toFailure(subscription);
  if (subscription.kind === 'read' && subscription.value) {
    await saveHooks(context.reader, { id, hooks: 'subscribed', reason: null });
    return null;
  }
  const answer = subscription.kind === 'refused' ? subscription : await subscribe(context, id, address);
  if (answer.kind === 'away' || answer.kind === 'reconnect') return toFailure(answer);
  // Without hooks (by tariff, or by a user without the right) the poll does all the work.
  if (answer.kind === 'ok') await saveHooks(context.reader, { id, hooks: 'subscribed', reason: null });
  else
    await saveHooks(context.reader, {
      id,
      hooks: 'unavailable',
      reason: answer.kind === 'refused' ? answer.reason : 'Not found',
    });
  return null;
}
