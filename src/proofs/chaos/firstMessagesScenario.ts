/**
 * First messages under kills: several workers on one queue of leads, a daily limit and an interval, and the domain
 * clock moved from one due time to the next. The check uses what the emulator accepted, by its own clock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { nextDue, readDomainClock, waitForDueWork } from '../../sandbox/domainClock.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { createRandom } from '../../sandbox/random.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { firstMessageConfig, insertLeads } from '../harness/leads.ts';
import { format, formatCount, rowTable } from '../harness/report.ts';
import { keepIfViolated, openProductPool, READY_MS, withWorld } from '../harness/world.ts';
import { FIRST_MESSAGE_POINTS, type KillableWorker, type KillPlan, startKillableWorker } from './killableWorker.ts';
import { ManualSettlement } from './manualSettlement.ts';

const DAY = 86_400_000;

interface FirstMessagesScenario {
  readonly seed: number;
  /** Minutes by which each worker process's clock is wrong. */
  readonly skews: readonly number[];
  readonly leads: number;
  readonly limit: number;
  /** Seconds between two first messages, at least. */
  readonly interval: number;
  /** Days under the limit; the remaining leads follow on the day after, without limit and interval. */
  readonly days: number;
  readonly deaths: number;
  readonly log: (line: string) => void;
}

const EDITS = 20;

/** Faults of the vendor; none may lose or duplicate a message. */
const FAULTS: readonly Fault[] = [
  { kind: 'wazzup24.lose_answer', probability: 0.04 },
  { kind: 'wazzup24.fail_after', probability: 0.03 },
  { kind: 'wazzup24.fail_before', probability: 0.03 },
  { kind: 'wazzup24.rate_limited', probability: 0.03 },
];

/** `--leads L --limit N --interval SECONDS --days D --deaths K --workers 0,0,10,-10`: minutes by which clocks are wrong. */
export const firstMessages = definePart({
  heading: 'First messages under kills',
  options: {
    leads: [5000, 60],
    limit: [100, 10],
    interval: [60, 60],
    days: [5, 2],
    deaths: [10, 4],
    workers: ['0,0,10,-10', '0,0,10,-10'],
  },
  run: ({ workers, ...settings }) =>
    withWorld({}, (world, cluster) =>
      keepIfViolated({ world, cluster, nodes: [], log: settings.log }, async () => {
        const skews = workers.split(',').map(Number);
        const result = await runFirstMessagesScenario({ ...settings, skews }, world);
        const { violations, kills, perDay, afterLimit, closestMs, deadlocks, settlement } = result;
        const columns = {
          'accepted on each day': perDay.join(', '),
          'then, without limit': afterLimit,
          'nearest two': format(closestMs / 1000, 's'),
          'unconfirmed, had arrived': settlement.reachedUnconfirmed,
          'unconfirmed, sent again by hand': settlement.sentAgain,
          deadlocks,
        };
        return {
          text: `${skews.length} workers, their clocks wrong by ${workers} minutes, on one queue of ${formatCount(settings.leads)} leads; limit ${settings.limit} a day, at least ${settings.interval} s between two. ${kills} kills at named points and at random.

${rowTable(columns)}`,
          violations,
        };
      }),
    ),
});

/** Let the days pass and read the journal. The world must not serve anything itself. */
export async function runFirstMessagesScenario(scenario: FirstMessagesScenario, world: World) {
  const { seed, deaths, days, limit } = scenario;
  const db = openProductPool(world.databaseUrl, 2);
  const span = Math.max(3, Math.round((days * limit) / Math.max(1, deaths)));
  const random = createRandom(seed);
  const killPlan: KillPlan = {
    random,
    points: FIRST_MESSAGE_POINTS,
    span,
    remaining: Math.ceil(deaths / 2),
    kills: 0,
  };
  try {
    await world.control.changeSettings({ seed });
    const { startAt, settlement } = await passDays({ ...scenario, world, pool: db.pool, killPlan });
    const { rows } = await db.pool.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    const deadlocks = rows[0]?.deadlocks ?? 0;
    const { violations, ...verified } = await verifyFirstMessages(scenario, { world, startAt, settlement });
    // One of the transactions in a deadlock is repeated, a second later.
    if (deadlocks > 0) violations.push(`${deadlocks} deadlocks`);
    return { kills: killPlan.kills, deadlocks, settlement, violations, ...verified };
  } finally {
    await db.close();
  }
}

interface FirstMessagesRun extends FirstMessagesScenario {
  readonly world: World;
  readonly pool: pg.Pool;
  readonly killPlan: KillPlan;
}

/** Let all days pass. Returns the instant at which the first one began, and what was settled by hand at the end. */
async function passDays(run: FirstMessagesRun): Promise<{ startAt: number; settlement: ManualSettlement }> {
  const { leads, limit, interval, days, skews, world, killPlan, log } = run;
  const startAt = (Math.floor((await domainNow(run)) / DAY) + 1) * DAY;
  await moveClock(run, startAt - 3_600_000);
  await setLimits(run, limit, interval);
  await insertLeads(world.pool, { count: leads, products: [{ id: world.productId }], stage: 'initial' });
  // Receives the vendor's delivery reports: a channel without reports sends no more first messages.
  const web = startServer(world, { RAPPORT_ROLES: 'web', RAPPORT_NODE_NAME: 'web', RAPPORT_LOG_LEVEL: 'error' });
  const workers: KillableWorker[] = [];
  try {
    await web.waitUntilReady(READY_MS);
    await connectHooks(world);
    await world.control.setFaults([...FAULTS]);
    for (const skewMinutes of skews)
      workers.push(await startKillableWorker(world, { name: `worker ${workers.length + 1}`, skewMinutes, killPlan }));
    await waitUntilIdle(run);
    for (let day = 0; day < days; day++) {
      await advanceThrough(run, startAt + day * DAY, startAt + (day + 1) * DAY);
      const { length } = await world.control.entriesOf('reached');
      log(`day ${day + 1}: ${length} accepted, ${killPlan.kills} kills so far`);
    }
    await sendRemaining(run, startAt + days * DAY, workers);
    const settlement = new ManualSettlement(world, await world.operator(), idleTimeoutMs(run));
    await settlement.waitUntilSettled();
    return { startAt, settlement };
  } finally {
    await Promise.all([...workers.map((one) => one.end()), web.stop()]);
  }
}

/** A waiting lead is not lost: without a limit all are sent, also while settings are edited and workers are killed. */
async function sendRemaining(run: FirstMessagesRun, from: number, workers: readonly KillableWorker[]): Promise<void> {
  const { leads, deaths, killPlan, pool } = run;
  await setLimits(run, leads, 0);
  // A worker without a planned kill gets one with its next instance.
  const missingKills = Math.max(0, deaths - killPlan.kills);
  const workersToKill = workers.slice(0, missingKills);
  killPlan.remaining = missingKills - workersToKill.length;
  await Promise.all([
    advanceThrough(run, from, from + 60_000),
    ...workersToKill.map((one) => one.strike()),
    editSettings(run),
  ]);
  for (let left = Number.NaN, tries = 0; tries < 100; tries++) {
    await waitUntilIdle(run);
    const before = left;
    left = await countRows(pool, "leads where stage = 'initial'");
    if (left === 0 || left === before) return;
  }
}

/** Save settings while first messages are with the vendor: each time all leads are planned again. */
async function editSettings(run: FirstMessagesRun): Promise<void> {
  for (let edit = 1; edit <= EDITS; edit++) {
    await pause(100);
    await setLimits(run, run.leads + edit, 0);
  }
}

const domainNow = async (run: FirstMessagesRun): Promise<number> => Date.parse((await readDomainClock(run)).now);

/** Move the clock to an instant, the emulators before the database: no message may have a time before its claim. */
async function moveClock({ world, pool }: FirstMessagesRun, at: number): Promise<void> {
  // Slightly later, so that what is due at `at` is due then.
  const offset = Math.ceil(at - Date.now()) + 2;
  await world.control.setClock(offset);
  await pool.query('update installation set clock_offset = greatest(clock_offset, make_interval(secs => $1))', [
    offset / 1000,
  ]);
}

/** Stop at every due time on the way. */
async function advanceThrough(run: FirstMessagesRun, from: number, to: number): Promise<void> {
  const end = new Date(to).toISOString();
  for (let at: number | null = from; at !== null; ) {
    await moveClock(run, at);
    const next = await nextDue(run, { after: await waitUntilIdle(run), before: end });
    // What was made due by a transaction that was not committed yet when all was done is not due later, but now.
    if (next !== null) at = Date.parse(next);
    else if (!(await isBusy(run))) at = null;
  }
}

/**
 * Wait as long as messages are being sent, and long enough to settle those that any number of kills left claimed. Returns
 * the instant until which all is done.
 */
async function waitUntilIdle(run: FirstMessagesRun): Promise<string> {
  const timeoutMs = idleTimeoutMs(run);
  for (let [settled, end] = [-1, 0]; ; await pause(10)) {
    const doneUntil = await waitForDueWork(run, run.world.control, 8);
    if (!(await isBusy(run))) return doneUntil;
    const now = await countRows(run.pool, "messages where status <> 'sending'");
    if (now !== settled) [settled, end] = [now, performance.now() + timeoutMs];
    if (performance.now() > end) throw new Error(`No progress at ${new Date(await domainNow(run)).toISOString()}`);
  }
}

const idleTimeoutMs = ({ leads }: FirstMessagesRun): number => 180_000 + 20 * leads;

/** Return whether something is due, claimed or about to be retried. */
async function isBusy({ pool }: FirstMessagesRun): Promise<boolean> {
  const counts = [
    "messages where status = 'sending' or (status = 'scheduled' and retry_at is not null and scheduled_at <= domain_now())",
    'outreach where next_at <= domain_now()',
    'outreach_products where next_at <= domain_now()',
    'messages where recipient_not_found',
    'opt_out_propagations',
  ];
  for (const from of counts) if ((await countRows(pool, from)) > 0) return true;
  return false;
}

async function setLimits({ pool, world }: FirstMessagesRun, dailyLimit: number, seconds: number): Promise<void> {
  const config = firstMessageConfig({ dailyLimit, intervalSeconds: seconds });
  await pool.query('update products set config = $2 where id = $1', [world.productId, config]);
  // A channel without delivery reports would be paused, and this clock outruns them.
  await pool.query("update channels set first_messages_resumed_at = 'infinity'");
}

interface Ended {
  readonly world: World;
  readonly startAt: number;
  readonly settlement: ManualSettlement;
}

/**
 * Compare what the emulator accepted with limit, interval and leads: messages on each of the days, and on the day
 * without limit, and the shortest time between two on one of the days.
 */
async function verifyFirstMessages(
  { days, limit, interval, leads }: FirstMessagesScenario,
  { world: { control, pool }, startAt, settlement }: Ended,
) {
  const violations: string[] = [];
  const reached = (await control.entriesOf('reached')).map(({ at, to }) => ({ at: Date.parse(at) - startAt, to }));
  reached.sort((one, other) => one.at - other.at);
  const limited = reached.filter(({ at }) => at < days * DAY);
  let closestMs = Number.POSITIVE_INFINITY;
  for (const [index, { at, to }] of limited.entries()) {
    const sinceLast = at - (limited[index - 1]?.at ?? Number.NEGATIVE_INFINITY);
    closestMs = Math.min(closestMs, sinceLast);
    if (sinceLast < interval * 1000) violations.push(`${to} was written to ${sinceLast} ms after the one before it`);
  }
  const perDay = Array.from(
    { length: days },
    (_, day) => limited.filter(({ at }) => Math.floor(at / DAY) === day).length,
  );
  for (const [index, count] of perDay.entries())
    if (count > limit) violations.push(`day ${index + 1}: ${count} accepted, the limit is ${limit}`);
  // One that may have arrived keeps its place in the day's quota.
  const missing = days * limit - limited.length;
  if (missing > settlement.sentAgain) violations.push(`${missing} fewer were accepted than the limit allows`);
  const times = Map.groupBy(reached, ({ to }) => to);
  for (const [to, all] of times) if (all.length > 1) violations.push(`${to} got ${all.length} first messages`);
  if (times.size !== leads) violations.push(`${times.size} of ${leads} leads were written to`);
  const { rows } = await pool.query<{ status: string; reason: string | null; count: number }>(
    `select status, reason, count(*)::int from messages where status not in ('sent', 'delivered', 'read') group by 1, 2`,
  );
  for (const { status, reason, count } of rows)
    violations.push(`${count} messages are ${status}: ${reason ?? 'without a reason'}`);
  return { perDay, afterLimit: reached.length - limited.length, closestMs, violations };
}
