/** Gives each hand-over its summary once. Nothing waits for it for long: note and task in the CRM go without it. */
import { deferFailed } from '../jobs/deferFailed.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { MAX_RETRY_DELAY_SECONDS, RETRY_TIMEOUT_SECONDS } from './reply.ts';
import {
  claimSummary,
  closeSummary,
  deferSummary,
  type HandOverRow,
  releaseSummary,
  SUMMARIES,
} from './store/handOvers.ts';
import { type SummaryResult, summarize } from './summarize.ts';

/** Summarize the dialogue of a hand-over if that is due and no other instance has claimed it. */
export async function summarizeHandOver(context: AppContext, id: number): Promise<void> {
  const row = await claimSummary(context.reader, id, context);
  if (!row) return;
  try {
    await context.claims.hold(SUMMARIES, [{ id }], async () =>
      storeResult(context, row, await summarize(context, row.dialogue_id)),
    );
  } catch (error) {
    const failure = { error, attempts: row.summary_attempts, maxSeconds: MAX_RETRY_DELAY_SECONDS };
    await deferFailed(context, failure, (seconds, reason) => tryLater(context, row, { seconds, reason }));
  } finally {
    await retryWhileDatabaseUnavailable(context, () => releaseSummary(context.reader, id, context.instanceId));
  }
}

async function storeResult(context: AppContext, row: HandOverRow, result: SummaryResult): Promise<void> {
  switch (result.kind) {
    case 'summarized':
      return close(context, row, { state: 'done', summary: result.summary, error: null });
    case 'off':
      return close(context, row, { state: 'off', summary: null, error: result.reason });
    case 'nothing':
      return close(context, row, { state: 'failed', summary: null, error: 'The lead has written nothing' });
    case 'failed': {
      const { reason, isPermanent } = result;
      if (isPermanent) return close(context, row, { state: 'failed', summary: null, error: reason });
      const seconds = retryDelaySeconds(context, row.summary_attempts, MAX_RETRY_DELAY_SECONDS);
      return tryLater(context, row, { seconds, reason });
    }
    default:
      return result satisfies never;
  }
}

/** Have the dialogue summarized later; give up if it has failed for long. */
async function tryLater(
  context: AppContext,
  row: HandOverRow,
  { seconds, reason: error }: { readonly seconds: number; readonly reason: string },
): Promise<void> {
  const defer = { id: row.id, seconds, error, timeoutSeconds: RETRY_TIMEOUT_SECONDS };
  if (await deferSummary(context.reader, defer)) await close(context, row, { state: 'failed', summary: null, error });
}

async function close(context: AppContext, row: HandOverRow, change: Parameters<typeof closeSummary>[2]): Promise<void> {
  await context.transact(async (tx) => {
    if (!(await closeSummary(tx, row.id, change))) return;
    notify(tx, { topic: 'dialogue', product: row.product_id, ids: [row.dialogue_id] });
    failpoint('summary.beforeCommit');
  });
  failpoint('summary.afterCommit');
}
