/** Reserves sends of vendor accounts within their rate limits, for many messages at once. */

import type { ChannelVendor } from '../channels/contract.ts';
import { driverOf } from '../channels/drivers.ts';
import { reserveAccountSends } from '../channels/store.ts';
import { reserveRates } from '../jobs/store/rateLimit.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';

interface Account {
  readonly id: number;
  readonly vendor: ChannelVendor;
}

/** Name of the queue in which an account's messages are sent. */
export const accountQueue = (accountId: number): string => `send ${accountId}`;

/**
 * Reserve a send of its account for each message, in the transaction that claims them. Returns those that may leave
 * now, and the milliseconds until the next one of an account whose rate is used up.
 */
export async function reserveSends<Item>(
  context: AppContext,
  tx: Tx,
  { items, accountOf }: { items: readonly Item[]; accountOf: (item: Item) => Account },
): Promise<{ granted: Item[]; waitMs: number }> {
  const limits = [...Map.groupBy(items, (item) => accountOf(item).id)].map(([account, ofAccount]) => ({
    account,
    items: ofAccount,
    limit: driverOf(ofAccount[0] ? accountOf(ofAccount[0]).vendor : 'wazzup24').rateLimit,
  }));
  const rates = await reserveRates(
    tx,
    limits.flatMap(({ account, items: { length: count }, limit }) =>
      limit.clock === 'real' ? [{ key: accountQueue(account), everyMs: limit.everyMs, burst: limit.burst, count }] : [],
    ),
  );
  const oneByOne = limits.flatMap(({ account, limit }) => (limit.clock === 'domain' ? [account] : []));
  const free = await reserveAccountSends(tx, oneByOne, context.config.chatpushIntervalSeconds);
  const granted: Item[] = [];
  let waitMs = Number.POSITIVE_INFINITY;
  for (const { account, items: ofAccount, limit } of limits) {
    const rate = rates.get(accountQueue(account));
    const count = limit.clock === 'real' ? (rate?.granted ?? 0) : free.has(account) ? 1 : 0;
    granted.push(...ofAccount.slice(0, count));
    if (rate && count < ofAccount.length) waitMs = Math.min(waitMs, rate.waitMs);
  }
  return { granted, waitMs };
}
