import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { createWorld, type World } from '../testing/world.ts';
import { deferFailed } from './deferFailed.ts';
import { createKeyedConcurrency } from './keyedConcurrency.ts';
import { sweepDue } from './sweepDue.ts';
import type { SweepTools } from './sweeps.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_LOG_LEVEL: 'silent' } });
  if (!world.app) throw new Error('There is no server');
  context = world.app.context;
});
afterAll(() => world.close());

/** Create a sweep that always finds the same pieces of work, and queues with one slot. */
function createSweep(keys: readonly string[], run: (key: string) => Promise<void>) {
  const queues = createKeyedConcurrency(1, () => undefined);
  const sweep = sweepDue({
    name: 'test',
    task: 'test',
    dueIn: null,
    findDue: async () => keys.map((key) => ({ key, queue: 'one', run: () => run(key) })),
  });
  const tools: SweepTools = {
    isStarted: (key) => queues.isStarted(key),
    start: (queue, key, work) => queues.submit(queue, key, work),
    queues: () => new Map<string, number>(),
    wake: () => undefined,
  };
  return { sweep: () => sweep.run(context, tools), stop: () => queues.stop() };
}

async function countJobs(outcome: string): Promise<number> {
  const { values } = await context.metrics.jobs.get();
  const isAsked = (labels: Readonly<Record<string, unknown>>) =>
    labels['task'] === 'test' && labels['outcome'] === outcome;
  return values.find(({ labels }) => isAsked(labels))?.value ?? 0;
}

it('starts work that is due, but not beside the same work that waits or runs', async () => {
  const started: string[] = [];
  const first = Promise.withResolvers<void>();
  const { sweep, stop } = createSweep(['a', 'b'], async (key) => {
    started.push(key);
    if (key === 'a' && started.length === 1) await first.promise;
  });
  for (let count = 0; count < 3; count++) await sweep();
  expect(started).toEqual(['a']);
  first.resolve();
  await world.waitUntil(() => started.length === 2, 'b to run');
  await world.waitUntil(async () => (await countJobs('done')) === 2, 'both to end');
  await sweep();
  await world.waitUntil(async () => (await countJobs('done')) === 4, 'both to end again');
  await stop();
  expect(started).toEqual(['a', 'b', 'a', 'b']);
});

it('starts work again that has failed, once its row says so', async () => {
  let left = 2;
  const { sweep, stop } = createSweep(['a'], async () => {
    if (left-- > 0) throw new Error('not now');
  });
  const before = await countJobs('done');
  for (let failures = 1; failures <= 2; failures++) {
    await sweep();
    await world.waitUntil(async () => (await countJobs('failed')) === failures, 'it to fail');
  }
  await sweep();
  await world.waitUntil(async () => (await countJobs('done')) === before + 1, 'it to succeed');
  await stop();
});

it('defers work that fails, but not when the database failed', async () => {
  const deferred: string[] = [];
  const fail = (error: Error) =>
    deferFailed(context, { error, attempts: 0 }, async (seconds, reason) => {
      expect(seconds).toBeGreaterThan(0);
      deferred.push(reason);
    });
  await expect(fail(new Error('a secret'))).rejects.toThrow('a secret');
  await expect(fail(Object.assign(new Error('gone'), { code: '57P01' }))).rejects.toThrow('gone');
  expect(deferred).toEqual(['Internal error: the log says more']);
});
