/**
 * First messages from due to accepted by the vendor, per second, compared with bare jobs. `--keys N --messages N
 * --rounds N`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, run, runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { World } from '../../testing/world.ts';
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { insertLeads } from '../harness/leads.ts';
import { median } from '../harness/load.ts';
import { format, formatCount } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { type BenchProduct, createProducts } from './benchProducts.ts';

const TARGET_RATIO = 0.35;

export const firstMessages = definePart({
  heading: 'First messages',
  options: { keys: [50, 5], messages: [2000, 50], rounds: [3, 1] },
  run: ({ keys, messages, rounds }) =>
    withNodes({ production: true, nodes: [{ RAPPORT_ROLES: 'worker' }] }, async (world, [worker], cluster) => {
      const products = await createProducts(world, keys);
      const [sent, jobs]: [number[], number[]] = [[], []];
      // The first round warms up. A database in use knows how many rows its tables have.
      for (let round = 0; round <= rounds; round++) {
        sent.push(await sendAll(world, products, messages));
        await world.pool.query('analyze');
      }
      await worker?.stop();
      for (let round = 0; round <= rounds; round++) jobs.push(await runBareJobs(cluster.url, messages));
      const tooFast = (await world.control.entriesOf('refused')).filter((one) => one.status === 429).length;
      const [perSecond, jobsPerSecond] = [median(sent.slice(1)), median(jobs.slice(1))];
      const ratio = perSecond / jobsPerSecond;
      return {
        text: `${formatCount(messages)} first messages over ${keys} keys fall due at once; one worker sends them, the vendor's limit on each key holds (${tooFast} answers 429). **${formatCount(perSecond)}** a second are accepted, against ${formatCount(jobsPerSecond)} empty jobs a second of graphile-worker with the same concurrency: **${ratio.toFixed(3)}**, the target is ${TARGET_RATIO}.`,
        violations:
          ratio < TARGET_RATIO
            ? [`first messages are sent at ${format(ratio)} of graphile-worker, the target is ${TARGET_RATIO}`]
            : [],
      };
    }),
});

/** Make `count` leads due at once and wait until all are settled. Returns the messages per second until the last was accepted. */
async function sendAll({ control, pool }: World, products: readonly BenchProduct[], count: number): Promise<number> {
  const from = (await control.entriesOf('reached')).at(-1)?.seq ?? 0;
  await insertLeads(pool, { count, products: products.map(({ id }) => ({ id })), stage: 'initial', days: 2 });
  const startedAt = Date.now();
  for (let left = count; left > 0; await pause(100)) {
    if (Date.now() - startedAt > 300_000) throw new Error(`${left} of ${count} messages were not sent`);
    left = await countRows(pool, `leads where stage = 'initial'`);
  }
  const reached = await control.entriesOf('reached', from);
  if (reached.length !== count) throw new Error(`${reached.length} of ${count} messages reached a phone`);
  const acceptedAt = Math.max(...reached.map(({ real }) => real));
  return (count * 1000) / (acceptedAt - startedAt);
}

/** Run graphile-worker with our concurrency on empty jobs. Returns jobs per second. */
async function runBareJobs(url: string, count: number): Promise<number> {
  const pgPool = new pg.Pool({ connectionString: url, max: 18 });
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
  await pgPool.query(
    `select graphile_worker.add_job('nothing', json_build_object('n', n)) from generate_series(1, $1::int) n`,
    [count],
  );
  let done = 0;
  const startedAt = performance.now();
  const runner = await run({
    pgPool,
    taskList: {
      nothing: async () => {
        done++;
      },
    },
    concurrency: 16,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: 1000,
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  while (done < count) await pause(5);
  const seconds = (performance.now() - startedAt) / 1000;
  await runner.stop();
  await pgPool.end();
  return count / seconds;
}
