/** Gives each hand-over its summary once. Nothing waits for it for long: note and task in the CRM go without it. */
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { modelQueue, readProduct } from '../products/product.ts';
import { MAX_RETRY_DELAY_SECONDS, RETRY_TIMEOUT_SECONDS } from './reply.ts';
import {
  claimSummary,
  closeSummary,
  deferSummary,
  findProductOfHandOver,
  type HandOverRow,
  releaseSummary,
  SUMMARIES,
} from './store/handOvers.ts';
import { type SummaryResult, summarize } from './summarize.ts';

/** Return the concurrency key: the company and its model. Null if the hand-over or its product is gone. */
export async function summaryConcurrencyKey(context: AppContext, id: number): Promise<string | null> {
  const productId = await findProductOfHandOver(context.reader, id);
  const product = productId === null ? undefined : await readProduct(context.reader, productId);
  return product ? modelQueue(context, product, 'chatbot') : null;
}

/** Summarize the dialogue of a hand-over if that is due and no other instance has claimed it. */
export async function summarizeHandOver(context: AppContext, id: number): Promise<void> {
  const row = await claimSummary(context.reader, id, context);
  if (!row) return;
  try {
    await context.claims.hold(SUMMARIES, [{ id }], async () =>
      storeResult(context, row, await summarize(context, row.dialogue_id)),
    );
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
      const failed = { state: 'failed', summary: null, error: result.reason } as const;
      if (result.isPermanent) return close(context, row, failed);
      const seconds = retryDelaySeconds(context, row.summary_attempts, MAX_RETRY_DELAY_SECONDS);
      const defer = { id: row.id, seconds, error: result.reason, timeoutSeconds: RETRY_TIMEOUT_SECONDS };
      return (await deferSummary(context.reader, defer)) ? close(context, row, failed) : undefined;
    }
    default:
      return result satisfies never;
  }
}

async function close(context: AppContext, row: HandOverRow, change: Parameters<typeof closeSummary>[2]): Promise<void> {
  await context.transact(async (tx) => {
    if (!(await closeSummary(tx, row.id, change))) return;
    notify(tx, { topic: 'dialogue', product: row.product_id, ids: [row.dialogue_id] });
    failpoint('summary.beforeCommit');
  });
  failpoint('summary.afterCommit');
}
