/**
 * Kills the server at every failpoint of a run, as in a power cut: the next instance resumes it, pays for no call twice
 * but the one that was in flight, stores no result twice, and keeps the budget, also when two instances make one run.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { CONTENTING_PROMPT, insertPersonas, PERSONAS } from '../testing/simulatedLeads.ts';
import { type StudioRuns, studioRuns } from '../testing/studioRuns.ts';
import { createWorld, freePort, type World } from '../testing/world.ts';
import type { StudioRun } from './runContract.ts';

/** `npm test` kills once at each point, `npm run test:all` also at later passes. */
const HITS = process.env['RAPPORT_TESTS'] === 'all' ? [1, 2, 5] : [1];
/** One call at a time, so that at most one is in flight when the process dies. */
const ONE_AT_A_TIME = { RAPPORT_CONCURRENCY: '1' };
const POINTS = ['studio.beforeModel', 'studio.afterModel', 'studio.beforeCommit', 'studio.afterCommit'] as const;
/** At these points an answer has arrived that is not stored yet: the call is made again. */
const LOSING_POINTS: readonly string[] = ['studio.afterModel', 'studio.beforeCommit'];

let world: World;
let studio: StudioRuns;
let web: ServerProcess;
let workers: ServerProcess[] = [];

async function startWorker(settings: Record<string, string>): Promise<ServerProcess> {
  const port = String(await freePort());
  const worker = startServer(world, {
    RAPPORT_ROLES: 'worker',
    RAPPORT_REPLY_DEBOUNCE_SECONDS: '5',
    PORT: port,
    ...settings,
  });
  workers.push(worker);
  return worker;
}

beforeAll(async () => {
  world = await createWorld({ serve: false });
  await world.pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
  await world.pool.query('update prompts set text = $1, live_text = $1', [CONTENTING_PROMPT]);
  await insertPersonas(world.pool, world.productId, PERSONAS.slice(0, 1));
  web = startServer(world, { RAPPORT_ROLES: 'web' });
  await web.waitUntilReady();
  studio = await studioRuns(world, await world.operator('anna'));
  for (const text of ['How much does a kitchen cost?', 'How long does delivery take?'])
    await studio.createCase(text, [{ kind: 'max_length', characters: 400 }], { rubric: 'It is polite.' });
});
beforeEach(() => world.pool.query('delete from llm_runs'));
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  workers = [];
  await world.control.setFaults([]);
});
afterAll(async () => {
  await web.kill();
  await world.close();
});

const completions = async () => (await world.control.entriesOf('completion')).length;

/** Start a gate with a judge and a simulation: their samples make several calls each. */
async function startRuns(): Promise<StudioRun[]> {
  const gate = await studio.start({ with_judge: true, repeats: 1 });
  return [gate, await studio.start({ kind: 'simulation', repeats: 1 })];
}

/** What runs have stored, and what their calls have cost. */
async function stored(runs: readonly StudioRun[]) {
  const ids = runs.map(({ id }) => id);
  const { rows: samples } = await world.pool.query<{ calls: number; output: unknown; state: string }>(
    `select x.key, s.arm, s.repeat, s.state, s.output, s.violations, jsonb_array_length(s.calls) as calls
       from studio_samples s join studio_subjects x on x.id = s.subject_id where s.run_id = any($1) order by s.run_id, s.id`,
    [ids],
  );
  const { rows } = await world.pool.query<{ runs: number; cost: number; spent: number; budget: number }>(
    `select (select count(*)::int from llm_runs) as runs, (select coalesce(sum(cost), 0)::float8 from llm_runs) as cost,
            sum(spent)::float8 as spent, sum(budget)::float8 as budget,
            (select coalesce(sum(reserved), 0)::float8 from studio_samples where run_id = any($1)) as reserved
       from studio_runs where id = any($1)`,
    [ids],
  );
  return { samples, calls: samples.reduce((sum, { calls }) => sum + calls, 0), sums: rows[0] };
}

describe('killed', () => {
  it('a run is resumed at every point, and nothing is doubled', async () => {
    const stops = HITS.flatMap((hit) => POINTS.map((point) => `${point}:${hit}`));
    const before = await completions();
    const runs = await startRuns();
    for (const stop of stops) {
      const worker = await startWorker({ ...ONE_AT_A_TIME, RAPPORT_FAILPOINT: stop });
      expect(await worker.waitForExit(), `${stop} ${worker.output()}`).toBe('SIGKILL');
    }
    await startWorker(ONE_AT_A_TIME);
    for (const run of runs) expect(await studio.ended(run)).toMatchObject({ state: 'done', progress: { failed: 0 } });
    const killed = await stored(runs);
    const inFlight = stops.filter((stop) => LOSING_POINTS.some((point) => stop.startsWith(point))).length;
    expect((await completions()) - before).toBe(killed.calls + inFlight);
    expect(killed.sums).toMatchObject({ runs: killed.calls, reserved: 0 });
    // What was reserved for a call whose answer was lost counts as spent.
    expect(killed.sums?.spent).toBeGreaterThan(killed.sums?.cost ?? 0);
    // Nothing is left over and nothing is missing: it is what a run says that nobody interrupts.
    const undisturbed = await startRuns();
    for (const run of undisturbed) await studio.ended(run);
    const { samples } = await stored(undisturbed);
    expect(killed.samples).toEqual(samples);
  });
});

describe('two instances that make one run', () => {
  const logOf = (name: string): string => join(tmpdir(), `rapport-studio-${process.pid}-${name}.log`);
  const countCalls = (name: string): number =>
    readFileSync(logOf(name), 'utf8')
      .split('\n')
      .filter((line) => line === 'studio.beforeModel').length;

  it('share it, keep its budget, and pay for each call once', async () => {
    // Both live, so neither may take over what the other one makes, however long the machine keeps it waiting.
    const lease = { RAPPORT_LEASE_SECONDS: '600' };
    const started = [
      await startWorker({ ...lease, RAPPORT_FAILPOINT_LOG: logOf('first') }),
      await startWorker({ ...lease, RAPPORT_FAILPOINT_LOG: logOf('second') }),
    ];
    await Promise.all(started.map((worker) => worker.waitUntilReady()));
    const before = await completions();
    await world.control.setFaults([{ kind: 'openai.slow', ms: 20 }]);
    const whole = await studio.gate({ repeats: 10 });
    expect(whole).toMatchObject({ state: 'done', progress: { done: 40, total: 40 } });
    const afterWhole = await stored([whole]);
    expect((await completions()) - before).toBe(afterWhole.calls);
    expect(afterWhole.calls).toBe(40);
    expect(countCalls('first')).toBeGreaterThan(0);
    expect(countCalls('second')).toBeGreaterThan(0);
    expect(countCalls('first') + countCalls('second')).toBe(40);
    const half = await studio.gate({ repeats: 10, budget: whole.spent / 2 });
    expect(half).toMatchObject({ state: 'stopped', reason: 'The budget does not allow another call.' });
    const { sums, calls } = await stored([half]);
    expect(half.spent).toBeLessThanOrEqual(half.budget);
    expect((sums?.cost ?? 0) - (afterWhole.sums?.cost ?? 0)).toBeCloseTo(half.spent, 8);
    expect(calls).toBeGreaterThan(0);
    expect((await completions()) - before).toBe(40 + calls);
  });
});
