/**
 * First messages under kills: several workers on one queue of leads, a daily limit and an interval, and the domain
 * clock moved from one due time to the next. The check uses what the emulator accepted, by its own clock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { openDb } from '../../platform/openDb.ts';
import { nextDue, waitForDueWork } from '../../sandbox/domainClock.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { firstMessageConfig, insertLeads } from '../harness/leads.ts';
import { createRandom } from '../harness/random.ts';
import { format, formatCount, rowTable } from '../harness/report.ts';
import { READY_MS, withWorld } from '../harness/world.ts';
import { type KillableWorker, type KillPlan, startKillableWorker } from './killableWorker.ts';

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

interface FirstMessagesResult {
  readonly kills: number;
  /** Messages that the emulator accepted on each of the days. */
  readonly perDay: readonly number[];
  /** Messages accepted on the day without limit. */
  readonly afterLimit: number;
  /** Deadlocks: one of the transactions was repeated, a second later. */
  readonly deadlocks: number;
  /** Shortest time between two messages on one of the days. */
  readonly closestMs: number;
  readonly violations: readonly string[];
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
    workers: '0,0,10,-10',
  },
  run: ({ workers, ...settings }) =>
    withWorld({}, async (world) => {
      const skews = workers.split(',').map(Number);
      const result = await runFirstMessagesScenario({ ...settings, skews }, world);
      const { violations, kills, perDay, afterLimit, closestMs, deadlocks } = result;
      const columns = {
        'accepted on each day': perDay.join(', '),
        'then, without limit': afterLimit,
        'nearest two': format(closestMs / 1000, 's'),
        deadlocks,
      };
      return {
        text: `${skews.length} workers, their clocks wrong by ${workers} minutes, on one queue of ${formatCount(settings.leads)} leads; limit ${settings.limit} a day, at least ${settings.interval} s between two. ${kills} kills at named points and at random.

${rowTable(columns)}`,
        violations,
      };
    }),
});

/** Let the days pass and read the journal. The world must not serve anything itself. */
export async function runFirstMessagesScenario(
  scenario: FirstMessagesScenario,
  world: World,
): Promise<FirstMessagesResult> {
  // The product's own pool, which parses numbers and instants as the clock does.
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 2 });
  const { seed, deaths } = scenario;
  const killPlan: KillPlan = {
    random: createRandom(seed),
    span: Math.max(3, Math.round((scenario.days * scenario.limit) / Math.max(1, deaths))),
    remaining: Math.ceil(deaths / 2),
    kills: 0,
  };
  try {
    await world.control.changeSettings({ seed });
    const run = new FirstMessagesRun(scenario, world, { db, killPlan });
    const startAt = await run.passDays();
    const deadlocks = await run.deadlocks();
    return { kills: killPlan.kills, deadlocks, ...(await verifyFirstMessages(scenario, world, startAt)) };
  } finally {
    await db.close();
  }
}

class FirstMessagesRun {
  readonly #scenario: FirstMessagesScenario;
  readonly #world: World;
  readonly #pool: Db['pool'];
  readonly #killPlan: KillPlan;
  /** Long enough to settle what any number of simultaneous kills left claimed; the last day has most to do. */
  readonly #timeoutMs: number;

  constructor(scenario: FirstMessagesScenario, world: World, { db, killPlan }: { db: Db; killPlan: KillPlan }) {
    this.#scenario = scenario;
    this.#world = world;
    this.#pool = db.pool;
    this.#killPlan = killPlan;
    this.#timeoutMs = 180_000 + 20 * scenario.leads;
  }

  /** Let all days pass. Returns the instant at which the first one began. */
  async passDays(): Promise<number> {
    const { leads, limit, interval, days, skews, log } = this.#scenario;
    const { control, productId, pool } = this.#world;
    const startAt = (Math.floor((await this.#now()) / DAY) + 1) * DAY;
    await this.#moveClock(startAt - 3_600_000);
    await this.#limit(limit, interval);
    await insertLeads(pool, { count: leads, products: [{ id: productId }], stage: 'initial' });
    // Receives the vendor's delivery reports: a channel without reports sends no more first messages.
    const web = startServer(this.#world, {
      RAPPORT_ROLES: 'web',
      RAPPORT_NODE_NAME: 'web',
      RAPPORT_LOG_LEVEL: 'error',
    });
    const workers: KillableWorker[] = [];
    try {
      await web.waitUntilReady(READY_MS);
      await connectHooks(this.#world);
      await control.setFaults([...FAULTS]);
      for (const skewMinutes of skews) {
        const name = `worker ${workers.length + 1}`;
        workers.push(await startKillableWorker(this.#world, { name, skewMinutes, killPlan: this.#killPlan }));
      }
      await this.#waitUntilIdle();
      for (let day = 0; day < days; day++) {
        await this.#advanceThrough(startAt + day * DAY, startAt + (day + 1) * DAY);
        const { length } = await control.entriesOf('reached');
        log(`day ${day + 1}: ${length} accepted, ${this.#killPlan.kills} kills so far`);
      }
      await this.#sendRemaining(startAt + days * DAY, workers);
    } finally {
      await Promise.all([...workers.map((one) => one.end()), web.stop()]);
    }
    return startAt;
  }

  /**
   * A waiting lead is not lost: with room for all, all are sent, also while settings are edited and workers are killed.
   */
  async #sendRemaining(from: number, workers: readonly KillableWorker[]): Promise<void> {
    await this.#limit(this.#scenario.leads, 0);
    // A worker without a planned kill gets one with its next instance.
    const missingKills = Math.max(0, this.#scenario.deaths - this.#killPlan.kills);
    const workersToKill = workers.slice(0, missingKills);
    this.#killPlan.remaining = missingKills - workersToKill.length;
    await Promise.all([
      this.#advanceThrough(from, from + 60_000),
      ...workersToKill.map((one) => one.strike()),
      this.#editSettings(),
    ]);
    for (let left = Number.NaN, tries = 0; tries < 100; tries++) {
      await this.#waitUntilIdle();
      const before = left;
      left = await countRows(this.#pool, "leads where stage = 'initial'");
      if (left === 0 || left === before) return;
    }
  }

  deadlocks(): Promise<number> {
    return this.#number('select deadlocks::int as value from pg_stat_database where datname = current_database()');
  }

  #now(): Promise<number> {
    return this.#number('select (extract(epoch from domain_now()) * 1000)::float8 as value');
  }

  async #number(query: string): Promise<number> {
    return (await this.#pool.query<{ value: number }>(query)).rows[0]?.value ?? 0;
  }

  /** Move the clock to an instant, the emulators before the database: no message may have a time before its claim. */
  async #moveClock(at: number): Promise<void> {
    // Slightly later, so that what is due at `at` is due then.
    const offset = Math.ceil(at - Date.now()) + 2;
    await this.#world.control.setClock(offset);
    await this.#pool.query('update installation set clock_offset = greatest(clock_offset, make_interval(secs => $1))', [
      offset / 1000,
    ]);
  }

  /** Stop at every due time on the way. */
  async #advanceThrough(from: number, to: number): Promise<void> {
    const end = new Date(to).toISOString();
    for (let at: number | null = from; at !== null; ) {
      await this.#moveClock(at);
      await this.#waitUntilIdle();
      const next = await nextDue({ pool: this.#pool }, end);
      at = next === null ? null : Date.parse(next);
      // The clock runs on meanwhile, so something may have become due.
      if (at === null && (await this.#isBusy())) at = await this.#now();
    }
  }

  async #waitUntilIdle(): Promise<void> {
    // The timeout covers a lack of progress: each message that is sent restarts it, however many there are.
    let [settled, end] = [-1, 0];
    for (;;) {
      await waitForDueWork({ pool: this.#pool }, this.#world.control, 8);
      if (!(await this.#isBusy())) return;
      const now = await countRows(this.#pool, "messages where status <> 'sending'");
      if (now !== settled) [settled, end] = [now, performance.now() + this.#timeoutMs];
      if (performance.now() > end) throw new Error(`No progress: ${await this.#describePending()}`);
      await pause(10);
    }
  }

  async #describePending(): Promise<string> {
    const { rows } = await this.#pool.query(`
      select (select jsonb_agg(to_jsonb(j) - 'last_error') from graphile_worker.jobs j) as jobs,
             (select jsonb_object_agg(status, count) from (select status, count(*) from messages group by status) m) as messages,
             (select jsonb_agg(o) from outreach_products o) as queues, domain_now() as now`);
    return JSON.stringify(rows);
  }

  /** Return whether something is due, claimed or about to be retried. */
  async #isBusy(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ busy: boolean }>(`
      select exists (select 1 from messages where status = 'sending' or (status = 'scheduled' and retry_at is not null and scheduled_at <= domain_now()))
          or exists (select 1 from outreach where next_at <= domain_now())
          or exists (select 1 from outreach_products where next_at <= domain_now())
          or exists (select 1 from graphile_worker._private_jobs where attempts < max_attempts) as busy`);
    return rows[0]?.busy ?? false;
  }

  /** Save settings while first messages are with the vendor: each time all leads are planned again. */
  async #editSettings(): Promise<void> {
    for (let edit = 1; edit <= EDITS; edit++) {
      await pause(100);
      await this.#limit(this.#scenario.leads + edit, 0);
    }
  }

  async #limit(dailyLimit: number, intervalSeconds: number): Promise<void> {
    const config = firstMessageConfig({ dailyLimit, intervalSeconds });
    await this.#pool.query('update products set config = $2 where id = $1', [this.#world.productId, config]);
    // A channel without delivery reports would be paused, and this clock outruns them.
    await this.#pool.query("update channels set first_messages_resumed_at = 'infinity'");
  }
}

/** Compare what the emulator accepted with limit, interval and leads. */
async function verifyFirstMessages(
  { days, limit, interval, leads }: FirstMessagesScenario,
  { control, pool }: World,
  from: number,
): Promise<Pick<FirstMessagesResult, 'perDay' | 'afterLimit' | 'closestMs' | 'violations'>> {
  const violations: string[] = [];
  const reached = (await control.entriesOf('reached')).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const perDay = Array.from({ length: days + 1 }, () => 0);
  const times = new Map<string, number>();
  let closestMs = Number.POSITIVE_INFINITY;
  let before: number | null = null;
  for (const { at, to } of reached) {
    const ms = Date.parse(at);
    const day = Math.floor((ms - from) / DAY);
    perDay[day] = (perDay[day] ?? 0) + 1;
    times.set(to, (times.get(to) ?? 0) + 1);
    if (day < days && before !== null && ms - before < interval * 1000)
      violations.push(`${to} was written to ${ms - before} ms after the one before it, at ${at}`);
    if (day < days && before !== null) closestMs = Math.min(closestMs, ms - before);
    before = ms;
  }
  const afterLimit = perDay.pop() ?? 0;
  for (const [index, count] of perDay.entries())
    if (count !== limit) violations.push(`day ${index + 1}: ${count} accepted, the limit is ${limit}`);
  for (const [to, count] of times) if (count > 1) violations.push(`${to} got ${count} first messages`);
  if (times.size !== leads) violations.push(`${times.size} of ${leads} leads were written to`);
  const { rows } = await pool.query<{ status: string; reason: string | null; count: number }>(
    `select status, reason, count(*)::int from messages where status not in ('sent', 'delivered', 'read') group by 1, 2`,
  );
  for (const { status, reason, count } of rows)
    violations.push(`${count} messages are ${status}: ${reason ?? 'without a reason'}`);
  return { perDay, afterLimit, closestMs, violations };
}
