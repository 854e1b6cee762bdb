/** The parts of `npm run chaos`: each runs its scenario and reports its settings and findings. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../platform/migrate.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import { createWorld, type World, type WorldOptions } from '../../testing/world.ts';
import { percentile } from '../load/hookSender.ts';
import { runCrmScenario } from './crmScenario.ts';
import { runDiskScenario } from './diskScenario.ts';
import { runFirstMessagesScenario } from './firstMessagesScenario.ts';
import { runHooksScenario } from './hooksScenario.ts';
import { runMessagesScenario } from './messagesScenario.ts';
import { formatCount, formatCounts, type Outcome, type Part, singleRowTable, violationList } from './report.ts';
import type { Settings } from './settings.ts';
import { runVendorsScenario } from './vendorsScenario.ts';
import { compareWorkingHours } from './workingHours.ts';

const ms = (value: number): string => `${formatCount(value)} ms`;
const seconds = (ms: number): string => `${formatCount(ms / 1000)} s`;
const countsOf = (faults: Readonly<Record<string, readonly string[]>>): Record<string, number> =>
  Object.fromEntries(Object.entries(faults).map(([name, list]) => [name, list.length]));
const isClean = (faults: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.values(faults).every((list) => list.length === 0);
const command = (part: Part, args: string): string => `npm run chaos -- --only ${part} ${args}`.trimEnd();

async function messages(settings: Settings): Promise<Outcome> {
  const { kills, restarts, seed, skewMethod, keep, log } = settings;
  const passed = await runMessagesScenario({
    kills,
    restarts,
    messages: settings.messages,
    seed,
    skewMethod,
    keep,
    log,
  });
  const { accepted, manualSettlement, listed, faults } = passed;
  const text = `Two nodes of both roles and one of each, which come and go, behind one address, their clocks 0, 7, -5 and 12 minutes wrong; ${passed.leadCount} people over both vendors and both messengers, a third of them with a product that has working hours; half an hour of 5xx from both vendors, half an hour in which nobody outside can be reached; answers lost, late, refused, of rubbish, hooks doubled, shuffled, mixed and failing, statuses before answers, a model that fails, hangs, stops in the middle and answers rubbish.

Killed: ${formatCounts(passed.counts.kills)}. PostgreSQL restarted: ${formatCounts(passed.counts.restarts)}. Nodes that left by SIGTERM and came back: ${passed.counts.stopped} (slowest to end ${seconds(passed.counts.slowestStopMs)}). All in ${formatCount(passed.seconds)} s.

${singleRowTable({ 'written by leads': passed.written, 'typed by an operator': accepted.length, 'of ours on phones': passed.reached, 'asked to be left alone': passed.optedOut })}

${singleRowTable(countsOf(faults))}

Left for operators: ${formatCounts(listed)}. Unconfirmed on the way, settled by hand: ${manualSettlement.reachedUnconfirmed} had arrived, ${manualSettlement.sentAgain} were sent again; refused and sent again: ${manualSettlement.refused}.${violationList(faults)}`;
  const args = `--seed ${seed} --messages ${settings.messages} --kills ${kills} --restarts ${restarts}${skewMethod === 'faketime' ? ' --faketime' : ''}`;
  return { passed: isClean(faults), command: command('messages', args), text };
}

async function hooks(settings: Settings): Promise<Outcome> {
  return withWorld(async (world) => {
    const { seed, rate, seconds: durationSeconds, log } = settings;
    const { sentHooks, stored, kills, drainedAfter, violations, chats } = await runHooksScenario(
      { seed, perSecond: rate, seconds: durationSeconds, log },
      world,
    );
    const text = `${rate} hooks a second for ${durationSeconds} s from ${chats} chats, one in twenty posted twice, to two nodes behind one address of which one is killed every three seconds or so (${kills} kills). What is not answered with 200 comes again after half a second.

${singleRowTable({ hooks: sentHooks.hooks, 'acknowledged messages': sentHooks.acknowledged.length, 'of these not stored': stored.missing, 'stored twice': stored.doubled, 'p50 to 200': ms(percentile(sentHooks.answered, 0.5)), 'p99 to 200': ms(percentile(sentHooks.answered, 0.99)), 'p99, repeats included': ms(percentile(sentHooks.settled, 0.99)), 'answers by status (0: none)': formatCounts(sentHooks.statuses), 'all taken in after': `${drainedAfter.toFixed(1)} s` })}${violationList({ violation: violations })}`;
    const args = `--seed ${seed} --rate ${rate} --seconds ${durationSeconds}`;
    return { passed: violations.length === 0, command: command('hooks', args), text };
  });
}

async function disk({ seed, fills, log }: Settings): Promise<Outcome> {
  const startedAt = performance.now();
  const passed = await runDiskScenario({ seed, rounds: fills, log });
  const { faults, violations, whileFull } = passed;
  const answers = Object.entries(whileFull).map(([name, by]) => `${name}: ${formatCounts(by)}`);
  const text = `PostgreSQL on a file system of 256 MB that is filled to the last byte ${fills} times, 12 s each, while leads write, the bot answers and an operator reads and writes; the vendors' emulators lie elsewhere. PostgreSQL ended ${passed.databaseDeaths} times and was started again by itself; ${seconds(performance.now() - startedAt)} in all.

Answers while it was full, by status: ${answers.join('; ')}.

${singleRowTable({ 'written by leads': passed.written, 'of ours on phones': passed.reached, 'acknowledged probes': passed.acknowledged, 'well again after, at most': `${passed.recoveredAfter.toFixed(1)} s`, ...countsOf(faults), 'other violations': violations.length })}

A backup meanwhile: "${passed.backupError}"; no file stays.${violationList({ ...faults, violation: violations })}`;
  const isPassed = isClean(faults) && violations.length === 0;
  return { passed: isPassed, command: command('disk', `--seed ${seed} --fills ${fills}`), text };
}

async function firstMessages(settings: Settings): Promise<Outcome> {
  return withWorld(async (world) => {
    const startedAt = performance.now();
    const { leads, limit, seed, interval, days, deaths, workers, skewMethod, log } = settings;
    const scenario = {
      seed,
      workers,
      bender: skewMethod,
      leads,
      limit,
      intervalSeconds: interval,
      days,
      kills: deaths,
      log,
    };
    const passed = await runFirstMessagesScenario(scenario, world);
    const { violations } = passed;
    const clocks = skewMethod === 'faketime' ? 'by libfaketime' : 'by a preload';
    const text = `${workers.length} workers, their clocks wrong by ${workers.join(', ')} minutes (${clocks}), on one line of ${formatCount(leads)} leads; limit ${limit} a day, at least ${interval} s between two. ${passed.kills} kills at named points and at random, in ${seconds(performance.now() - startedAt)}.

${singleRowTable({ 'accepted on each day': passed.perDay.join(', '), 'then, without limit': passed.afterLimit, 'nearest two': `${(passed.closestMs / 1000).toFixed(1)} s`, deadlocks: passed.deadlocks, violations: violations.length })}${violationList({ violation: violations })}`;
    const args = `--seed ${seed} --leads ${leads} --limit ${limit} --interval ${interval} --days ${days} --deaths ${deaths} --workers ${workers.join(',')}${skewMethod === 'faketime' ? ' --faketime' : ''}`;
    return { passed: violations.length === 0, command: command('firsts', args), text };
  });
}

async function crm(settings: Settings): Promise<Outcome> {
  return withWorld(async (world) => {
    const startedAt = performance.now();
    const { seed, cards, moves, deaths, log } = settings;
    const passed = await runCrmScenario({ seed, cards, moves, kills: deaths, log }, world);
    const { violations } = passed;
    const text = `Cards dragged while leads are moved, hooks lost, doubled and shuffled, answers lost, an hour without the CRM, two nodes of which one is killed now and then; ${seconds(performance.now() - startedAt)}.

${singleRowTable({ 'cards dragged': passed.dragged, 'leads moved': passed.moved, kills: passed.kills, cards: passed.cards, leads: passed.leads, 'moves recorded': passed.events, calls: passed.calls, refused: passed.refused, 'most in a second': passed.peak, violations: violations.length })}${violationList({ violation: violations })}`;
    const args = `--seed ${seed} --cards ${cards} --moves ${moves} --deaths ${deaths}`;
    return { passed: violations.length === 0, command: command('crm', args), text };
  });
}

async function vendors(settings: Settings): Promise<Outcome> {
  const env = { RAPPORT_ASK_VENDOR_SECONDS: '1', RAPPORT_LOG_LEVEL: 'error' };
  return withWorld(
    async (world) => {
      const startedAt = performance.now();
      const { seed, people, rounds, log } = settings;
      const passed = await runVendorsScenario({ seed, leads: people, rounds, log }, world);
      const text = `One process; ${people} people of each vendor and messenger; answers lost, requests limited, hooks doubled and shuffled, then hooks lost, then an hour in which neither vendor can be reached; ${seconds(performance.now() - startedAt)}.

${singleRowTable({ 'written by leads': passed.written, 'of ours on phones': passed.reached, ...countsOf(passed.faults) })}

Unconfirmed, settled by hand: ${passed.reachedUnconfirmed} had arrived, ${passed.sentAgain} were sent again; refused and sent again: ${passed.refused}.${violationList(passed.faults)}`;
      const args = `--seed ${seed} --people ${people} --rounds ${rounds}`;
      return { passed: isClean(passed.faults), command: command('vendors', args), text };
    },
    { serve: true, env },
  );
}

async function windows({ isQuick }: Settings): Promise<Outcome> {
  const startedAt = performance.now();
  const { zones, changes, compared, wrong } = await compareWorkingHours(isQuick ? 20 : 1);
  const text = `Against a search minute by minute: two days around each change of clocks of 2025 to 2028 and two ordinary weeks, in ${seconds(performance.now() - startedAt)}.

${singleRowTable({ zones, 'changes of clocks': changes, comparisons: compared, mismatches: wrong.length })}${violationList({ mismatch: wrong })}`;
  return { passed: wrong.length === 0, command: command('windows', isQuick ? '--quick' : ''), text };
}

/** Create a world with a database of its own, and remove it afterwards. It serves nothing itself unless requested. */
async function withWorld(
  work: (world: World) => Promise<Outcome>,
  options: WorldOptions = { serve: false },
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  // As root, PostgreSQL runs as another user, which must be able to pass this folder; otherwise the database would be
  // created, and stay, elsewhere.
  chmodSync(folder, 0o711);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  try {
    await migrate(postgres.superuserUrl);
    const world = await createWorld({
      ...options,
      database: { url: postgres.superuserUrl, drop: async () => undefined },
    });
    try {
      return await work(world);
    } finally {
      await world.close();
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const parts: Readonly<Record<Part, (settings: Settings) => Promise<Outcome>>> = {
  messages,
  hooks,
  disk,
  firsts: firstMessages,
  crm,
  vendors,
  windows,
};
