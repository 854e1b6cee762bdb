/** An instance that hangs loses its samples to another one: what it answers late is paid, and stored nowhere. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { type StudioRuns, studioRuns } from '../testing/studioRuns.ts';
import { createWorld, type World } from '../testing/world.ts';
import { concludeRuns } from './endRun.ts';
import { startSamples } from './makeSamples.ts';

let world: World;
let context: AppContext;
let studio: StudioRuns;
beforeAll(async () => {
  // No worker, and no renewal of leases during the test.
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_HEARTBEAT_SECONDS: '60' } });
  if (!world.app) throw new Error('The world has no app');
  ({ context } = world.app);
  studio = await studioRuns(world, await world.operator('anna'));
  await studio.createCase('How much does a kitchen cost?', [{ kind: 'contains', text: '4200 euros' }]);
});
afterAll(() => world.close());

/** Start the samples that are due, as the sweep does, on an instance. Returns when all of them are settled. */
async function makeDueSamples(instance: AppContext): Promise<{ readonly settled: Promise<void> }> {
  const started: Promise<void>[] = [];
  const tools: SweepTools = {
    isStarted: () => false,
    start: (_queue, _key, work) => started.push(work()) > 0,
    queues: () => new Map(),
    wake: () => undefined,
  };
  await startSamples(instance, tools);
  return { settled: Promise.all(started).then(() => undefined) };
}

async function sums(runId: number) {
  const { rows } = await world.pool.query<{ samples: string; calls: number; runs: number; cost: number }>(
    `select string_agg(s.state || ' ' || (s.output->>'text'), E'\\n' order by s.id) as samples,
            sum(jsonb_array_length(s.calls))::int as calls,
            (select count(*)::int from llm_runs where created_at >= min(r.created_at)) as runs,
            (select sum(cost)::float8 from llm_runs where created_at >= min(r.created_at)) as cost
       from studio_samples s join studio_runs r on r.id = s.run_id where s.run_id = $1`,
    [runId],
  );
  return rows[0];
}

it('a late answer is paid for and not stored, after another instance has taken the samples over', async () => {
  await world.control.setFaults([{ kind: 'openai.says', says: 'It is late.', times: 2 }]);
  const run = await studio.start({ repeats: 1 });
  // This instance hangs between its answers and what it stores of them.
  const resumed = Promise.withResolvers<void>();
  let hangs = false;
  const hanging: AppContext = {
    ...context,
    async transact(work) {
      if (hangs) await resumed.promise;
      return context.transact(work);
    },
  };
  const late = await makeDueSamples(hanging);
  hangs = true;
  await world.waitUntil(
    async () =>
      (await world.control.entriesOf('completion')).filter(({ answer }) => answer === 'It is late.').length === 2,
    'both answers are given',
  );
  const other: AppContext = { ...context, instanceId: randomUUID() };
  await (await makeDueSamples(other)).settled;
  expect((await studio.read(run.id)).progress.done, 'nothing is taken over while the lease holds').toBe(0);
  await world.pool.query("update studio_samples set claimed_until = clock_timestamp() - interval '1 second'");
  await (await makeDueSamples(other)).settled;
  const taken = await sums(run.id);
  expect(taken).toMatchObject({ calls: 2, runs: 2 });
  expect(taken?.samples).toMatch(/^done .*4200 euros.*\ndone .*4200 euros/);
  resumed.resolve();
  await late.settled;
  const after = await sums(run.id);
  expect(after).toMatchObject({ samples: taken?.samples, calls: 2, runs: 4 });
  await concludeRuns(context);
  const ended = await studio.read(run.id);
  expect(ended).toMatchObject({ state: 'done', progress: { done: 2, failed: 0, total: 2 } });
  // What the first instance had reserved counted as spent when its samples were taken over.
  expect(ended.spent).toBeGreaterThanOrEqual(after?.cost ?? Number.NaN);
  expect(ended.verdict).toMatchObject({ state: 'green', cases: [{ candidate: { count: 1, total: 1 } }] });
});
