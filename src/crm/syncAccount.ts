/** The regular sync of an account: check its connection and its hooks, and read what has changed. */
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { isSubscribed, readCards, subscribe } from './amocrm/api.ts';
import { refreshIfIdle } from './amocrm/tokens.ts';
import { applyCard, emptyCounts, type SyncCounts } from './applyCard.ts';
import { confirmDisconnect } from './disconnect.ts';
import { hookAddress } from './hookAddress.ts';
import { importedSteps } from './mapping.ts';
import { readCurrentDirectory } from './readDirectory.ts';
import {
  type Account,
  claimAccount,
  findAccount,
  releaseAccount,
  SYNCED_ACCOUNTS,
  saveError,
  saveHooks,
  saveSync,
  scheduleSync,
} from './store/accounts.ts';
import { readProductSettings, readRealClock } from './store/cards.ts';

/** Seconds of changes that are read again: of two changes within one second, one may be seen without the other. */
const OVERLAP_SECONDS = 60;
const MAX_PAGES = 400;

/** Do what is due for an account, and schedule its next sync. */
export async function syncAccount(context: AppContext, integrationId: number): Promise<void> {
  if (!(await claimAccount(context.reader, integrationId, context))) return;
  try {
    const rows = [{ crm_integration_id: integrationId }];
    await context.claims.hold(SYNCED_ACCOUNTS, rows, (signal) => syncClaimed(context, integrationId, signal));
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
  const failed = (await ensureSubscribed(context, account)) ?? (await poll(context, account, signal));
  if (!failed) return scheduleNext(Math.min(60, context.config.crmPollSeconds), 0);
  if (failed.kind === 'reconnect') return scheduleNext(60, 0);
  await saveError(context.reader, integrationId, failed.reason);
  const retrySeconds = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
  return scheduleNext(retrySeconds ?? retryDelaySeconds(context, account.attempts), account.attempts + 1);
}

type SyncFailure = {
  readonly kind: 'away' | 'refused' | 'reconnect';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
};

const toFailure = (answer: { kind: string; reason?: string; retryAfterSeconds?: number | null }): SyncFailure => ({
  kind: answer.kind === 'reconnect' || answer.kind === 'refused' ? answer.kind : 'away',
  reason: answer.reason ?? 'amoCRM does not know this address',
  retryAfterSeconds: answer.retryAfterSeconds ?? null,
});

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

/** Read what changed since the last sync; if a full sync is requested, also all cards in the first steps. */
async function poll(context: AppContext, account: Account, signal: AbortSignal): Promise<SyncFailure | null> {
  if (!account.poll_due && account.whole === null) return null;
  const { crm_integration_id: id } = account;
  const directory = await readCurrentDirectory(context, id);
  if (directory.kind !== 'read') return toFailure(directory);
  const counts = emptyCounts();
  let until = account.polled_until;
  if (account.whole !== null) {
    const productSettings = await readProductSettings(context.reader, id);
    const steps = new Map(
      productSettings.flatMap((settings) => importedSteps(settings.config)).map((one) => [JSON.stringify(one), one]),
    );
    for (const { pipeline_id: pipeline, status_id: status } of steps.values()) {
      const filter = new URLSearchParams({
        'filter[statuses][0][pipeline_id]': String(pipeline),
        'filter[statuses][0][status_id]': String(status),
      });
      const read = await readAll(context, { id, filter, counts, signal });
      if ('kind' in read) return read;
    }
  }
  const since = String(Math.max(0, account.polled_until - OVERLAP_SECONDS));
  const read = await readAll(context, {
    id,
    filter: new URLSearchParams({ 'filter[updated_at][from]': since }),
    counts,
    signal,
  });
  if ('kind' in read) return read;
  until = Math.max(until, read.newest);
  await saveSync(context.reader, { id, until, whole: account.whole, counts: { read: read.count, ...counts } });
  return null;
}

const claimLost: SyncFailure = { kind: 'away', reason: 'The look was taken over', retryAfterSeconds: 0 };

async function readAll(
  context: AppContext,
  { id, filter, counts, signal }: { id: number; filter: URLSearchParams; counts: SyncCounts; signal: AbortSignal },
): Promise<SyncFailure | { newest: number; count: number }> {
  let newest = 0;
  let count = 0;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const readAt = await readRealClock(context.reader);
    const read = await readCards(context, { integrationId: id, filter, page });
    if (read.kind !== 'read') return toFailure(read);
    if (signal.aborted) return claimLost;
    for (const card of read.value.items) {
      const failed = await applyCard(context, { integrationId: id, card, readAt, counts });
      if (failed) return toFailure(failed);
      newest = Math.max(newest, card.updatedAt);
      count++;
    }
    if (!read.value.hasNext) break;
  }
  return { newest, count };
}
