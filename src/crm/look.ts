/** The regular look at an account: whether it is still connected, tells us what changes, and what has changed. */
import type { Ground } from '../platform/ground.ts';
import { isSubscribed, readCards, subscribe } from './amocrm/api.ts';
import { keepAlive } from './amocrm/tokens.ts';
import { applyCard, nothingCame, type Outcome } from './applyCard.ts';
import { currentDirectory } from './directoryFor.ts';
import { confirmDisconnect } from './disconnect.ts';
import { hookAddress } from './hookAddress.ts';
import { importedSteps } from './mapping.ts';
import { pauseSeconds } from './pauses.ts';
import {
  type Account,
  findAccount,
  holdAccount,
  lookAgain,
  releaseAccount,
  saveError,
  saveHooks,
  savePoll,
  stillHolds,
} from './store/accounts.ts';
import { pairsOf, realNow } from './store/cards.ts';

/** Changes of the last seconds are read again: two of one second may be seen one by one. */
const OVERLAP_SECONDS = 60;
const MOST_PAGES = 400;

/** Does what is due for an account, and says when it is to be looked at again. */
export async function lookAtAccount(ground: Ground, integrationId: number): Promise<void> {
  if (!(await holdAccount(ground.reader, integrationId, ground.life))) return;
  try {
    await look(ground, integrationId);
  } finally {
    await releaseAccount(ground.reader, integrationId, ground.life);
  }
}

async function look(ground: Ground, integrationId: number): Promise<void> {
  const account = await findAccount(ground.reader, integrationId, ground.config.crmPollSeconds);
  if (!account || account.state === 'disconnected') return;
  const again = (seconds: number, tries: number) => lookAgain(ground.reader, integrationId, seconds, tries);
  if (account.disconnect_asked && (await confirmDisconnect(ground, account)) === 'unknown')
    return again(pauseSeconds(ground.config, account.tries), account.tries + 1);
  if (account.state !== 'connected') return;
  await keepAlive(ground, account);
  const failed = (await tendHooks(ground, account)) ?? (await poll(ground, account));
  if (!failed) return again(Math.min(60, ground.config.crmPollSeconds), 0);
  if (failed.kind === 'reconnect') return again(60, 0);
  await saveError(ground.reader, integrationId, failed.reason);
  const asked = failed.kind === 'away' ? failed.retryAfterSeconds : 600;
  return again(asked ?? pauseSeconds(ground.config, account.tries), account.tries + 1);
}

type Failed = {
  readonly kind: 'away' | 'refused' | 'reconnect';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
};

const failedOf = (answer: { kind: string; reason?: string; retryAfterSeconds?: number | null }): Failed => ({
  kind: answer.kind === 'reconnect' || answer.kind === 'refused' ? answer.kind : 'away',
  reason: answer.reason ?? 'amoCRM does not know this address',
  retryAfterSeconds: answer.retryAfterSeconds ?? null,
});

/** Subscribes, or looks (once a day) whether the subscription still stands: amoCRM switches off what failed often. */
async function tendHooks(ground: Ground, account: Account): Promise<Failed | null> {
  if (!account.hooks_due) return null;
  const { crm_integration_id: id } = account;
  const address = hookAddress(ground, account);
  const known = await isSubscribed(ground, id, address);
  if (known.kind === 'away' || known.kind === 'reconnect') return failedOf(known);
  if (known.kind === 'read' && known.value) {
    await saveHooks(ground.reader, id, 'subscribed', null);
    return null;
  }
  const answer = known.kind === 'refused' ? known : await subscribe(ground, id, address);
  if (answer.kind === 'away' || answer.kind === 'reconnect') return failedOf(answer);
  // A tariff without hooks, or a user without the right: the poll does it alone.
  if (answer.kind === 'ok') await saveHooks(ground.reader, id, 'subscribed', null);
  else await saveHooks(ground.reader, id, 'unavailable', answer.kind === 'refused' ? answer.reason : 'Not found');
  return null;
}

/** Reads what changed since the last look; after a change of settings also what stands in the first steps. */
async function poll(ground: Ground, account: Account): Promise<Failed | null> {
  if (!account.poll_due && account.whole === null) return null;
  const { crm_integration_id: id } = account;
  const directory = await currentDirectory(ground, id);
  if (directory.kind !== 'read') return failedOf(directory);
  const outcome = nothingCame();
  let until = account.polled_until;
  if (account.whole !== null) {
    const pairs = await pairsOf(ground.reader, id);
    const steps = new Map(pairs.flatMap((pair) => importedSteps(pair.config)).map((one) => [JSON.stringify(one), one]));
    for (const { pipeline_id: pipeline, status_id: status } of steps.values()) {
      const filter = new URLSearchParams({
        'filter[statuses][0][pipeline_id]': String(pipeline),
        'filter[statuses][0][status_id]': String(status),
      });
      const read = await readAll(ground, id, filter, outcome);
      if ('kind' in read) return read;
    }
  }
  const since = String(Math.max(0, account.polled_until - OVERLAP_SECONDS));
  const read = await readAll(ground, id, new URLSearchParams({ 'filter[updated_at][from]': since }), outcome);
  if ('kind' in read) return read;
  until = Math.max(until, read.newest);
  await savePoll(ground.reader, id, until, account.whole, { read: read.count, ...outcome });
  return null;
}

const takenOver: Failed = { kind: 'away', reason: 'The look was taken over', retryAfterSeconds: 0 };

async function readAll(
  ground: Ground,
  id: number,
  filter: URLSearchParams,
  outcome: Outcome,
): Promise<Failed | { newest: number; count: number }> {
  let newest = 0;
  let count = 0;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const readAt = await realNow(ground.reader);
    const read = await readCards(ground, id, filter, page);
    if (read.kind !== 'read') return failedOf(read);
    if (!(await stillHolds(ground.reader, id, ground.life))) return takenOver;
    for (const card of read.value.items) {
      const failed = await applyCard(ground, id, card, readAt, outcome);
      if (failed) return failedOf(failed);
      newest = Math.max(newest, card.updatedAt);
      count++;
    }
    if (!read.value.hasNext) break;
  }
  return { newest, count };
}
