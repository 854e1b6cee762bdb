/**
 * Retries many failed messages by the rules of a single retry. Each runs in its own transaction, with its dialogue
 * and itself locked, so that two concurrent requests send it once. Messages sent since the operator saw the count are
 * skipped.
 */

import { loadConversations } from '../engine/postgres/load.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { RETRY_BATCH, type RetryBatch, type RetryCount, retryBlocks } from './deliveryFailureContract.ts';
import { requeueMessage } from './operatorActions.ts';
import { lockMessage } from './store/delivery.ts';
import {
  countByOutcome,
  type FailureSelection,
  findNextIds,
  findRetryOutcome,
  type RetryOutcome,
  readRealTime,
} from './store/deliveryFailures.ts';

/** Count what retrying all of these would do. */
export async function countRetryOutcomes(context: AppContext, selection: FailureSelection): Promise<RetryCount> {
  // Read before counting: a message sent during the count then counts as sent since.
  const counted_at = await readRealTime(context.pool);
  const counts = new Map(
    (await countByOutcome(context.pool, selection)).map(({ fate: outcome, count }) => [outcome, count]),
  );
  const countOf = (outcome: RetryOutcome): number => counts.get(outcome) ?? 0;
  return {
    counted_at,
    matching: [...counts.values()].reduce((sum, count) => sum + count, 0),
    same_key: countOf('same_key'),
    new_key: countOf('new_key'),
    doubtful: countOf('doubtful'),
    cannot: retryBlocks.map((reason) => ({ why: reason, count: countOf(reason) })).filter(({ count }) => count > 0),
  };
}

interface RetryOrder extends FailureSelection {
  /** Skip messages that were sent after this instant (real clock). */
  readonly since: string;
  readonly allowDuplicates: boolean;
  /** Only messages with a higher id. */
  readonly after: number;
}

/** Retry one batch; pass `next` to the next call. Null: nothing is left. */
export async function retryNextBatch(
  context: AppContext,
  order: RetryOrder,
  writing: WriteContext,
): Promise<RetryBatch> {
  const ids = await findNextIds(context.pool, order, order.after);
  const retried = { same_key: 0, new_key: 0, doubtful: 0 };
  let skipped = 0;
  for (const id of ids) {
    const outcome = await retryOne(context, { id, order }, writing);
    if (outcome === null) skipped += 1;
    else retried[outcome] += 1;
  }
  const { ids: chosen, after, allowDuplicates } = order;
  await context.transact((tx) =>
    recordAuditEntry(tx, {
      ...writing,
      action: 'sent many again',
      noun: 'message',
      rowId: null,
      after: {
        ...retried,
        left: skipped,
        after,
        may_arrive_twice: allowDuplicates,
        chosen: chosen?.length ?? 'all that the list finds',
      },
    }),
  );
  return { ...retried, left: skipped, next: ids.length === RETRY_BATCH ? (ids.at(-1) ?? null) : null };
}

function retryOne(
  context: AppContext,
  { id, order: { since, allowDuplicates } }: { id: number; order: RetryOrder },
  writing: WriteContext,
): Promise<'same_key' | 'new_key' | 'doubtful' | null> {
  return context.transact(async (tx) => {
    await loadConversations(tx, [{ id }]);
    const message = await lockMessage(tx, id);
    const outcome = message && (await findRetryOutcome(tx, id, since));
    const canRetry = outcome === 'same_key' || outcome === 'new_key' || (outcome === 'doubtful' && allowDuplicates);
    if (!message || !canRetry) return null;
    await requeueMessage(tx, { message, keepKey: outcome === 'same_key' }, writing);
    return outcome;
  });
}
