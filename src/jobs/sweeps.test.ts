/** When sweeps run: what the poll finds for them, known instants, notifications, failures. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OUTBOX_SWEEP } from '../conversations/queueMessages.ts';
import { TURNS_SWEEP } from '../conversations/store/dialogues.ts';
import { SWEEP_CHANNEL, wakeSweep } from '../platform/notifications.ts';
import { createWorld, type World } from '../testing/world.ts';
import type { DueIn } from './store/dueWork.ts';
import { type Sweep, startSweeping } from './sweeps.ts';

let world: World;
beforeAll(async () => {
  // The poll of the world's own worker finds nothing before a test has ended.
  world = await createWorld({ env: { RAPPORT_LOG_LEVEL: 'silent', RAPPORT_SWEEP_SECONDS: '10' } });
});
afterAll(() => world.close());

const NEVER: DueIn = sql`null`;
const ALWAYS: DueIn = sql`0`;

/** Sweep with these until the work has ended. `runs` holds the instants at which each has run. */
async function withSweeps(
  parts: Readonly<Record<string, { dueIn: DueIn; gatherMs?: number; run?: () => unknown }>>,
  work: (runs: Record<string, number[]>, sweeping: ReturnType<typeof startSweeping>) => Promise<void>,
  periodSeconds = 0.02,
): Promise<void> {
  const runs: Record<string, number[]> = {};
  const sweeps = Object.entries(parts).map(([name, { dueIn, gatherMs = 0, run }]): Sweep => {
    runs[name] = [];
    return {
      name,
      dueIn: () => dueIn,
      gatherMs,
      async run() {
        runs[name]?.push(performance.now());
        return run?.();
      },
    };
  });
  const context = world.app?.context;
  if (!context) throw new Error('There is no server');
  const sweeping = startSweeping(
    { ...context, config: { ...context.config, sweepIntervalSeconds: periodSeconds } },
    { sweeps, tools: { isStarted: () => false, start: () => false, queues: () => new Map() } },
  );
  await work(runs, sweeping).finally(() => sweeping.stop());
}

const hasRun = (runs: Record<string, number[]>, name: string, times: number) =>
  world.waitUntil(async () => (runs[name]?.length ?? 0) >= times, `${name} to run ${times} times`);

it('runs a sweep as often after it was woken many times as before', async () => {
  const period = 300;
  await withSweeps({ periodic: { dueIn: NEVER, run: () => period } }, async (runs) => {
    for (let count = 1; count <= 10; count++) {
      await hasRun(runs, 'periodic', count);
      await world.app?.context.transact(async (tx) => wakeSweep(tx, 'periodic'));
    }
    await hasRun(runs, 'periodic', 11);
    const before = runs['periodic']?.length ?? 0;
    await hasRun(runs, 'periodic', before + 4);
    const instants = runs['periodic']?.slice(before, before + 4) ?? [];
    const gaps = instants.slice(1).map((instant, index) => instant - (instants[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(period / 2);
  });
});

it('runs a sweep at the start, and then only when the poll finds work for it', async () => {
  await withSweeps({ idle: { dueIn: NEVER }, busy: { dueIn: ALWAYS } }, async (runs, sweeping) => {
    await hasRun(runs, 'busy', 10);
    expect(runs['idle']).toHaveLength(1);
    // It had nothing to do: it is not late.
    const [idle] = sweeping.states();
    expect(idle?.seconds).toBeLessThan((performance.now() - (runs['idle']?.[0] ?? 0)) / 1000);
  });
});

it('runs a sweep at an instant that comes before the next poll', async () => {
  await withSweeps({ timed: { dueIn: sql`150` } }, (runs) => hasRun(runs, 'timed', 2), 0.2);
});

it('runs the sweep that a notification names, at once or later, and all for an empty one', async () => {
  const notify = (payload: string) => world.pool.query('select pg_notify($1, $2)', [SWEEP_CHANNEL, payload]);
  await withSweeps({ first: { dueIn: NEVER }, second: { dueIn: NEVER } }, async (runs) => {
    await Promise.all([hasRun(runs, 'first', 1), hasRun(runs, 'second', 1)]);
    const from = performance.now();
    await notify('second@300');
    await notify('first');
    await hasRun(runs, 'first', 2);
    await hasRun(runs, 'second', 2);
    expect((runs['second']?.[1] ?? 0) - from).toBeGreaterThan(299);
    expect(runs['first']).toHaveLength(2);
    await notify('');
    await Promise.all([hasRun(runs, 'first', 3), hasRun(runs, 'second', 3)]);
  });
});

it('runs a sweep again when it says so, and when it fails', async () => {
  let left = 3;
  const fail = () => {
    throw new Error('no');
  };
  await withSweeps(
    {
      more: { dueIn: NEVER, run: () => left-- > 0 },
      later: { dueIn: NEVER, run: () => 30 },
      failing: { dueIn: NEVER, run: fail },
    },
    async (runs, sweeping) => {
      await Promise.all(['more', 'later', 'failing'].map((name) => hasRun(runs, name, 3)));
      expect(sweeping.states().map(({ error }) => error)).toEqual([null, null, 'no']);
    },
  );
});

it('gathers what comes together before a run, unless more is due', async () => {
  let left = 3;
  await withSweeps({ gathering: { dueIn: ALWAYS, gatherMs: 300, run: () => left-- > 0 } }, async (runs) => {
    await hasRun(runs, 'gathering', 5);
    const pauses = (runs['gathering'] ?? []).slice(1).map((at, index) => at - (runs['gathering']?.[index] ?? 0));
    expect(pauses.slice(0, 3).every((ms) => ms < 300)).toBe(true);
    expect(pauses[3]).toBeGreaterThan(299);
  });
});

it('lets every sweep look for itself when the poll fails', async () => {
  await withSweeps({ broken: { dueIn: sql`1 / 0` }, idle: { dueIn: NEVER } }, (runs) => hasRun(runs, 'idle', 5));
});

it('sends the next message of a dialogue when the one before it has left, without waiting for the poll', async () => {
  const lead = await world.lead('Nora');
  await world.pool.query(
    `with queued as (
       insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, scheduled_at)
       select product_id, contact_id, id, channel_id, 'Part ' || n, 'bot', 'operator', 'olga', 'scheduled', domain_now()
         from dialogues cross join generate_series(1, 3) as n where contact_id = $1 returning id
     ) select pg_notify($2, $3), count(*) from queued`,
    [lead.contactId, SWEEP_CHANNEL, OUTBOX_SWEEP],
  );
  await world.waitUntil(async () => (await lead.sees()).length === 3, 'all three messages', 5000);
  expect(await lead.sees()).toEqual(['us: Part 1', 'us: Part 2', 'us: Part 3']);
});

it('answers when the wait for further messages of the lead ends, without waiting for the poll', async () => {
  const lead = await world.lead('Lena');
  await world.waitUntil(async () => {
    const { values } = (await world.app?.context.metrics.sweeps.get()) ?? { values: [] };
    return values.some(({ labels }) => 'sweep' in labels && labels.sweep === TURNS_SWEEP);
  }, 'the first run after the start');
  await lead.writes('How long does delivery take?');
  await world.waitUntil(async () => (await lead.sees()).some((text) => text.startsWith('us: ')), 'the answer', 5000);
});
