/**
 * First messages under kills: several workers on one queue of leads, a daily limit and an interval, and the domain
 * clock moved from one due time to the next. The check uses what the emulator accepted, by its own clock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '../../platform/log.ts';
import { openDb } from '../../platform/openDb.ts';
import { nextDue, waitForDueWork } from '../../sandbox/domainClock.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { createRandom } from '../simulate/random.ts';
import type { ClockSkewMethod } from './clockSkew.ts';
import { type KillPlan, startKillableWorker } from './killableWorker.ts';

const DAY = 86_400_000;

export interface FirstMessagesScenario {
  readonly seed: number;
  /** Minutes by which each worker process's clock is wrong. */
  readonly workers: readonly number[];
  readonly skewMethod?: ClockSkewMethod;
  readonly leads: number;
  readonly limit: number;
  readonly intervalSeconds: number;
  /** Days under the limit; the remaining leads follow on the day after, without limit and interval. */
  readonly days: number;
  readonly kills: number;
  readonly log: (line: string) => void;
}

export interface FirstMessagesResult {
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

/** Let the days pass and read the journal. The world must not serve anything itself. */
export async function runFirstMessagesScenario(
  scenario: FirstMessagesScenario,
  world: World,
): Promise<FirstMessagesResult> {
  const { control } = world;
  // The product's own pool, which parses numbers and instants as the clock does.
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 2 });
  const { pool } = db;
  const span = Math.max(3, Math.round((scenario.days * scenario.limit) / Math.max(1, scenario.kills)));
  const killPlan: KillPlan = {
    random: createRandom(scenario.seed),
    span,
    skewMethod: scenario.skewMethod ?? 'preload',
    remaining: Math.ceil(scenario.kills / 2),
    kills: 0,
  };
  // Long enough to settle what any number of simultaneous kills left claimed; the last day has most to do.
  const timeoutMs = 180_000 + 20 * scenario.leads;
  await control.changeSettings({ seed: scenario.seed });
  const startAt = (Math.floor((await now()) / DAY) + 1) * DAY;
  await moveClock(startAt - 3_600_000);
  await limit(scenario.limit, scenario.intervalSeconds);
  const leads = await createDueLeads(world, scenario.leads);
  // Receives the vendor's delivery reports: a channel without reports sends no more first messages.
  const web = startServer(world, { RAPPORT_ROLES: 'web', RAPPORT_NODE_NAME: 'web', RAPPORT_LOG_LEVEL: 'error' });
  await web.waitUntilReady(60_000);
  await connectHooks(world);
  await control.setFaults([...FAULTS]);
  const workers = await Promise.all(
    scenario.workers.map((skew, index) => startKillableWorker(world, `worker ${index + 1}`, skew, killPlan)),
  );
  try {
    await waitUntilIdle();
    for (let day = 0; day < scenario.days; day++) {
      await advanceThrough(startAt + day * DAY, startAt + (day + 1) * DAY);
      scenario.log(
        `day ${day + 1}: ${(await control.entriesOf('reached')).length} accepted, ${killPlan.kills} kills so far`,
      );
    }
    // A waiting lead is not lost: with room for all, all are sent, also while settings are edited and workers are
    // killed.
    await limit(scenario.leads, 0);
    // A worker without a planned kill gets one with its next instance.
    const missingKills = Math.max(0, scenario.kills - killPlan.kills);
    const workersToKill = workers.slice(0, missingKills);
    killPlan.remaining = missingKills - workersToKill.length;
    await Promise.all([
      advanceThrough(startAt + scenario.days * DAY, startAt + scenario.days * DAY + 60_000),
      ...workersToKill.map((one) => one.strike()),
      editSettings(),
    ]);
    await waitUntilSent(leads);
  } finally {
    await Promise.all([...workers.map((one) => one.end()), web.stop()]);
  }
  const result = await verify(startAt);
  await db.close();
  return result;

  async function now(): Promise<number> {
    const { rows } = await pool.query<{ ms: number }>('select (extract(epoch from domain_now()) * 1000)::float8 as ms');
    return rows[0]?.ms ?? 0;
  }

  /** Move the clock to an instant, the emulators before the database: no message may have a time before its claim. */
  async function moveClock(at: number): Promise<void> {
    // Slightly later, so that what is due at `at` is due then.
    const offset = Math.ceil(at - Date.now()) + 2;
    await control.setClock(offset);
    await pool.query('update installation set clock_offset = greatest(clock_offset, make_interval(secs => $1))', [
      offset / 1000,
    ]);
  }

  /** Stop at every due time on the way. */
  async function advanceThrough(from: number, to: number): Promise<void> {
    const end = new Date(to).toISOString();
    for (let at: number | null = from; at !== null; ) {
      await moveClock(at);
      await waitUntilIdle();
      const next = await nextDue({ pool }, end);
      at = next === null ? null : Date.parse(next);
      // The clock runs on meanwhile, so something may have become due.
      if (at === null && (await isBusy())) at = await now();
    }
  }

  async function waitUntilIdle(): Promise<void> {
    // The timeout covers a lack of progress: each message that is sent restarts it, however many there are.
    let [settled, end] = ['', 0];
    for (;;) {
      await waitForDueWork({ pool }, control, 8);
      if (!(await isBusy())) return;
      const now = await settledCount();
      if (now !== settled) [settled, end] = [now, performance.now() + timeoutMs];
      if (performance.now() > end) throw new Error(`Something stays in hand for ever: ${await describePending()}`);
      await pause(10);
    }
  }

  async function settledCount(): Promise<string> {
    const { rows } = await pool.query<{ count: string }>(`select count(*) from messages where status <> 'sending'`);
    return rows[0]?.count ?? '';
  }

  async function describePending(): Promise<string> {
    const { rows } = await pool.query(`
      select (select jsonb_agg(to_jsonb(j) - 'last_error') from graphile_worker.jobs j) as jobs,
             (select jsonb_object_agg(status, count) from (select status, count(*) from messages group by status) m) as messages,
             (select jsonb_agg(o) from outreach_products o) as lines, domain_now() as now`);
    return JSON.stringify(rows);
  }

  /** Return whether something is due, claimed or about to be retried. */
  async function isBusy(): Promise<boolean> {
    const { rows } = await pool.query<{ busy: boolean }>(`
      select exists (select 1 from messages where status = 'sending' or (status = 'scheduled' and retry_at is not null and scheduled_at <= domain_now()))
          or exists (select 1 from outreach where next_at <= domain_now())
          or exists (select 1 from outreach_products where next_at <= domain_now())
          or exists (select 1 from graphile_worker._private_jobs where attempts < max_attempts) as busy`);
    return rows[0]?.busy ?? false;
  }

  /** Save settings while first messages are with the vendor: each time all leads are planned again. */
  async function editSettings(): Promise<void> {
    for (let edit = 1; edit <= EDITS; edit++) {
      await pause(100);
      await limit(scenario.leads + edit, 0);
    }
  }

  async function waitUntilSent(expected: number): Promise<void> {
    for (let left = Number.POSITIVE_INFINITY, tries = 0; tries < 100; tries++) {
      await waitUntilIdle();
      const { rows } = await pool.query<{ left: number }>(
        `select count(*)::int as left from leads where stage = 'initial'`,
      );
      if (rows[0]?.left === 0 || rows[0]?.left === left) return;
      left = rows[0]?.left ?? expected;
    }
  }

  async function limit(whatsapp: number, seconds: number): Promise<void> {
    const config = {
      lead_expires_in_hours: 0,
      models_config: null,
      messaging_config: {
        tg_daily_limit: 0,
        whatsapp_daily_limit: whatsapp,
        add_interval_seconds: seconds,
        add_interval_jitter_seconds: 0,
        initial_message_send_at: '00:00',
        initial_message_document_prompt_id: null,
        initial_message_prepared_message_id: null,
        initial_message_text: 'Good day!',
      },
    };
    await pool.query('update products set config = $2 where id = $1', [world.productId, config]);
    // No web process receives delivery reports here, and a channel without them would be paused.
    await pool.query("update channels set first_messages_resumed_at = 'infinity'");
  }

  async function verify(from: number): Promise<FirstMessagesResult> {
    const violations: string[] = [];
    const reached = (await control.entriesOf('reached')).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
    const perDay = Array.from({ length: scenario.days + 1 }, () => 0);
    const times = new Map<string, number>();
    let closestMs = Number.POSITIVE_INFINITY;
    let before: number | null = null;
    for (const { at, to } of reached) {
      const ms = Date.parse(at);
      const day = Math.floor((ms - from) / DAY);
      perDay[day] = (perDay[day] ?? 0) + 1;
      times.set(to, (times.get(to) ?? 0) + 1);
      if (day < scenario.days && before !== null && ms - before < scenario.intervalSeconds * 1000)
        violations.push(`${to} was written to ${ms - before} ms after the one before it, at ${at}`);
      if (day < scenario.days && before !== null) closestMs = Math.min(closestMs, ms - before);
      before = ms;
    }
    const rest = perDay.pop() ?? 0;
    for (const [index, count] of perDay.entries())
      if (count !== scenario.limit)
        violations.push(`day ${index + 1}: ${count} accepted, the limit is ${scenario.limit}`);
    for (const [to, count] of times) if (count > 1) violations.push(`${to} got ${count} first messages`);
    if (times.size !== leads) violations.push(`${times.size} of ${leads} leads were written to`);
    const { rows } = await pool.query<{ status: string; reason: string | null; count: number }>(
      'select status, reason, count(*)::int from messages group by 1, 2',
    );
    for (const { status, reason, count } of rows)
      if (!['sent', 'delivered', 'read'].includes(status))
        violations.push(`${count} messages are ${status}: ${reason ?? 'without a reason'}`);
    const { rows: stuck } = await pool.query<{ deadlocks: number }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return {
      kills: killPlan.kills,
      deadlocks: stuck[0]?.deadlocks ?? 0,
      perDay,
      afterLimit: rest,
      closestMs,
      violations,
    };
  }
}

/** Create leads without messages that all become due together. Returns how many. */
async function createDueLeads({ pool, productId }: World, count: number): Promise<number> {
  await pool.query(
    `with made as (insert into leads (product_id, name, stage) select $1, 'Lead ' || n, 'initial' from generate_series(1, $2::int) n returning id, product_id)
     insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
     select id, product_id, '+' || 79100000000 + id, 'whatsapp', (79100000000 + id)::text, true from made`,
    [productId, count],
  );
  return count;
}
