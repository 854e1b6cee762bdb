import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { reserveRate } from './store/rateLimit.ts';

let drop: () => Promise<void>;
/** Two nodes, each with its own pool. */
let nodes: AppContext[];
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  // `reserveRate` needs only the pool of the context.
  nodes = [1, 2].map(
    () => ({ pool: new pg.Pool({ connectionString: database.url, max: 8 }) }) as unknown as AppContext,
  );
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.pool.end()));
  await drop();
});

/** Make the account look unused for an hour, so that its full burst is available again. */
async function resetRate(node: AppContext, key: string, everyMs: number, burst: number): Promise<void> {
  await reserveRate(node, { key, everyMs, burst });
  await node.pool.query("update rate_limits set next_at = clock_timestamp() - interval '1 hour' where key = $1", [key]);
}

/** Reserve `count` calls at once from both nodes. Returns the instants at which the calls may leave, in ms, sorted. */
async function reserveMany(key: string, count: number, everyMs: number, burst: number): Promise<number[]> {
  const at: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_one, index) => {
      const node = nodes[index % 2];
      if (!node) throw new Error('There is no such node');
      const { context, reservedAt } = withClock(node);
      const wait = await reserveRate(context, { key, everyMs, burst });
      at.push(reservedAt() + wait);
    }),
  );
  return at.sort((a, b) => a - b);
}

/** Wrap the node so that the reserving statement also returns its clock: a busy machine may pause anywhere else. */
function withClock(node: AppContext): { context: AppContext; reservedAt: () => number } {
  let at = Number.NaN;
  const query = async ({ text, values }: pg.QueryConfig) => {
    const now = `${text}, (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;
    const answer = await node.pool.query<{ now: number }>(now, values);
    at = answer.rows[0]?.now ?? Number.NaN;
    return answer;
  };
  return { context: { pool: { query } } as unknown as AppContext, reservedAt: () => at };
}

/** Tolerance between two readings of the clock within one statement. */
const SLACK_MS = 5;

function maxInWindow(at: readonly number[], windowMs: number): number {
  return Math.max(...at.map((from) => at.filter((one) => one >= from && one < from + windowMs).length));
}

describe('the pace of calls', () => {
  it('admits at most the burst plus one each interval in any window, over two nodes', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 500 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (everyMs, burst, count) => {
          const key = `window ${++run}`;
          await resetRate(nodes[0] as AppContext, key, everyMs, burst);
          const at = await reserveMany(key, count, everyMs, burst);
          for (const windowMs of [everyMs, everyMs * 3, everyMs * 10])
            expect(maxInWindow(at, windowMs)).toBeLessThanOrEqual(burst + Math.floor((windowMs + SLACK_MS) / everyMs));
        },
      ),
      { numRuns: 12 },
    );
  });

  it('admits a burst at once after an idle time, and spaces later calls', async () => {
    const waits: number[] = [];
    const [node] = nodes;
    if (!node) throw new Error('There is no node');
    await resetRate(node, 'rested', 10_000, 3);
    for (let call = 0; call < 6; call++)
      waits.push(Math.round((await reserveRate(node, { key: 'rested', everyMs: 10_000, burst: 3 })) / 1000));
    expect(waits).toEqual([0, 0, 0, 10, 20, 30]);
  });

  it('limits each account separately', async () => {
    const [node] = nodes;
    if (!node) throw new Error('There is no node');
    await reserveRate(node, { key: 'one account', everyMs: 60_000, burst: 1 });
    expect(await reserveRate(node, { key: 'other account', everyMs: 60_000, burst: 1 })).toBe(0);
    expect(await reserveRate(node, { key: 'one account', everyMs: 60_000, burst: 1 })).toBeGreaterThan(55_000);
  });
});
