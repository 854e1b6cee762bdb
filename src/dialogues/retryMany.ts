/**
 * Sending many failed messages again, by the rule of one: each in a transaction of its own, with its dialogue and itself
 * locked, so that two who ask at once send it once. Whatever was sent since the operator saw the count is left.
 */
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Ground } from '../platform/ground.ts';
import { queueMessageAgain } from './byHand.ts';
import { lockDialogueOf } from './store/hand.ts';
import { lockMessage } from './store/messages.ts';
import { type Fate, fateOf, fates, nextOf, realNow, type Which } from './store/troubles.ts';
import { RETRY_BATCH, type RetryBatch, type RetryCount, troubleObstacles } from './troubleContract.ts';

/** What sending all of these again would do. */
export async function countFates(ground: Ground, which: Which): Promise<RetryCount> {
  // Before the count: what is sent while it is made has been sent since.
  const counted_at = await realNow(ground.pool);
  const found = new Map((await fates(ground.pool, which)).map(({ fate, count }) => [fate, count]));
  const of = (fate: Fate): number => found.get(fate) ?? 0;
  return {
    counted_at,
    matching: [...found.values()].reduce((sum, count) => sum + count, 0),
    same_key: of('same_key'),
    new_key: of('new_key'),
    doubtful: of('doubtful'),
    cannot: troubleObstacles.map((why) => ({ why, count: of(why) })).filter(({ count }) => count > 0),
  };
}

interface Order extends Which {
  /** Messages that were sent after this instant of the real clock are left. */
  readonly since: string;
  readonly doubtful: boolean;
  /** Only messages with a higher id. */
  readonly after: number;
}

/** Sends one batch again; `next` goes into the next call, null: that was all. */
export async function retryBatch(ground: Ground, order: Order, writing: Writing): Promise<RetryBatch> {
  const ids = await nextOf(ground.pool, order, order.after);
  const sent = { same_key: 0, new_key: 0, doubtful: 0 };
  let left = 0;
  for (const id of ids) {
    const fate = await retryOne(ground, id, order, writing);
    if (fate === null) left += 1;
    else sent[fate] += 1;
  }
  const { ids: chosen, after, doubtful } = order;
  await ground.transact((tx) =>
    recordDeed(tx, {
      ...writing,
      action: 'sent many again',
      noun: 'message',
      rowId: null,
      after: { ...sent, left, after, may_arrive_twice: doubtful, chosen: chosen?.length ?? 'all that the list finds' },
    }),
  );
  return { ...sent, left, next: ids.length === RETRY_BATCH ? (ids.at(-1) ?? null) : null };
}

function retryOne(
  ground: Ground,
  id: number,
  { since, doubtful }: Order,
  writing: Writing,
): Promise<'same_key' | 'new_key' | 'doubtful' | null> {
  return ground.transact(async (tx) => {
    await lockDialogueOf(tx, id);
    const message = await lockMessage(tx, id);
    const fate = message && (await fateOf(tx, id, since));
    const goes = fate === 'same_key' || fate === 'new_key' || (fate === 'doubtful' && doubtful);
    if (!message || !goes) return null;
    await queueMessageAgain(tx, message, fate === 'same_key', writing);
    return fate;
  });
}
