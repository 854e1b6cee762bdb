/** The parts of `npm run chaos`: each runs its storm and says what it was and what it found. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../load/gun.ts';
import { migrate } from '../platform/migrate.ts';
import { startPostgres } from '../platform/postgres/supervisor.ts';
import { createWorld, type World, type WorldOptions } from '../testing/world.ts';
import { stormOfCrm } from './crm.ts';
import { stormOfDisk } from './disk.ts';
import { stormOfFirsts } from './firsts.ts';
import { stormOfHooks } from './hooks.ts';
import { stormOfMessages } from './messages.ts';
import { counted, lineTable, type Outcome, type Part, sentences, whole } from './report.ts';
import type { Settings } from './settings.ts';
import { stormOfVendors } from './vendors.ts';
import { compareWindows } from './windows.ts';

const ms = (value: number): string => `${whole(value)} ms`;
const seconds = (ms: number): string => `${whole(ms / 1000)} s`;
const counts = (faults: Readonly<Record<string, readonly string[]>>): Record<string, number> =>
  Object.fromEntries(Object.entries(faults).map(([name, list]) => [name, list.length]));
const isClean = (faults: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.values(faults).every((list) => list.length === 0);
const command = (part: Part, args: string): string => `npm run chaos -- --only ${part} ${args}`.trimEnd();

async function messages(settings: Settings): Promise<Outcome> {
  const { kills, restarts, seed, bender, keep, say } = settings;
  const passed = await stormOfMessages({ kills, restarts, messages: settings.messages, seed, bender, keep, say });
  const { accepted, byHand, listed, faults } = passed;
  const text = `Two nodes of both roles and one of each, which come and go, behind one address, their clocks 0, 7, -5 and 12 minutes wrong; ${passed.people} people over both vendors and both messengers, a third of them with a product that has working hours; half an hour of 5xx from both vendors, half an hour in which nobody outside can be reached; answers lost, late, refused, of rubbish, hooks doubled, shuffled, mixed and failing, statuses before answers, a model that fails, hangs, stops in the middle and answers rubbish.

Killed: ${counted(passed.counts.kills)}. PostgreSQL restarted: ${counted(passed.counts.restarts)}. Nodes that left by SIGTERM and came back: ${passed.counts.left} (slowest to end ${seconds(passed.counts.slowestStopMs)}). All in ${whole(passed.seconds)} s.

${lineTable({ 'written by leads': passed.written, 'typed by an operator': accepted.length, 'of ours on phones': passed.reached, 'asked to be left alone': passed.optedOut })}

${lineTable(counts(faults))}

Left for operators: ${counted(listed)}. Unconfirmed on the way, settled by hand: ${byHand.reachedUnconfirmed} had arrived, ${byHand.sentAgain} were sent again; refused and sent again: ${byHand.refused}.${sentences(faults)}`;
  const args = `--seed ${seed} --messages ${settings.messages} --kills ${kills} --restarts ${restarts}${bender === 'faketime' ? ' --faketime' : ''}`;
  return { passed: isClean(faults), command: command('messages', args), text };
}

async function hooks(settings: Settings): Promise<Outcome> {
  return inWorld(async (world) => {
    const { seed, rate, seconds: lasting, say } = settings;
    const { shots, stored, kills, drainedAfter, violations, chats } = await stormOfHooks(
      { seed, perSecond: rate, seconds: lasting, say },
      world,
    );
    const text = `${rate} hooks a second for ${lasting} s from ${chats} chats, one in twenty posted twice, to two nodes behind one address of which one is killed every three seconds or so (${kills} kills). What is not answered with 200 comes again after half a second.

${lineTable({ hooks: shots.hooks, 'acknowledged messages': shots.acknowledged.length, 'of these not stored': stored.missing, 'stored twice': stored.doubled, 'p50 to 200': ms(percentile(shots.answered, 0.5)), 'p99 to 200': ms(percentile(shots.answered, 0.99)), 'p99, repeats included': ms(percentile(shots.settled, 0.99)), 'answers by status (0: none)': counted(shots.statuses), 'all taken in after': `${drainedAfter.toFixed(1)} s` })}${sentences({ violation: violations })}`;
    const args = `--seed ${seed} --rate ${rate} --seconds ${lasting}`;
    return { passed: violations.length === 0, command: command('hooks', args), text };
  });
}

async function disk({ seed, fills, say }: Settings): Promise<Outcome> {
  const begun = performance.now();
  const passed = await stormOfDisk({ seed, rounds: fills, say });
  const { faults, violations, whileFull } = passed;
  const answers = Object.entries(whileFull).map(([name, by]) => `${name}: ${counted(by)}`);
  const text = `PostgreSQL on a file system of 256 MB that is filled to the last byte ${fills} times, 12 s each, while leads write, the bot answers and an operator reads and writes; the vendors' emulators lie elsewhere. PostgreSQL ended ${passed.databaseDeaths} times and was started again by itself; ${seconds(performance.now() - begun)} in all.

Answers while it was full, by status: ${answers.join('; ')}.

${lineTable({ 'written by leads': passed.written, 'of ours on phones': passed.reached, 'acknowledged probes': passed.acknowledged, 'well again after, at most': `${passed.healedAfter.toFixed(1)} s`, ...counts(faults), 'other violations': violations.length })}

A backup meanwhile: "${passed.backupSays}"; no file stays.${sentences({ ...faults, violation: violations })}`;
  const held = isClean(faults) && violations.length === 0;
  return { passed: held, command: command('disk', `--seed ${seed} --fills ${fills}`), text };
}

async function firsts(settings: Settings): Promise<Outcome> {
  return inWorld(async (world) => {
    const begun = performance.now();
    const { leads, limit, seed, interval, days, deaths, workers, bender, say } = settings;
    const storm = { seed, workers, bender, leads, limit, intervalSeconds: interval, days, kills: deaths, say };
    const passed = await stormOfFirsts(storm, world);
    const { violations } = passed;
    const clocks = bender === 'faketime' ? 'by libfaketime' : 'by a preload';
    const text = `${workers.length} workers, their clocks wrong by ${workers.join(', ')} minutes (${clocks}), on one line of ${whole(leads)} leads; limit ${limit} a day, at least ${interval} s between two. ${passed.kills} kills at named points and at random, in ${seconds(performance.now() - begun)}.

${lineTable({ 'accepted on each day': passed.perDay.join(', '), 'then, without limit': passed.rest, 'nearest two': `${(passed.nearestMs / 1000).toFixed(1)} s`, deadlocks: passed.deadlocks, violations: violations.length })}${sentences({ violation: violations })}`;
    const args = `--seed ${seed} --leads ${leads} --limit ${limit} --interval ${interval} --days ${days} --deaths ${deaths} --workers ${workers.join(',')}${bender === 'faketime' ? ' --faketime' : ''}`;
    return { passed: violations.length === 0, command: command('firsts', args), text };
  });
}

async function crm(settings: Settings): Promise<Outcome> {
  return inWorld(async (world) => {
    const begun = performance.now();
    const { seed, cards, moves, deaths, say } = settings;
    const passed = await stormOfCrm({ seed, cards, moves, kills: deaths, say }, world);
    const { violations } = passed;
    const text = `Cards dragged while leads are moved, hooks lost, doubled and shuffled, answers lost, an hour without the CRM, two nodes of which one is killed now and then; ${seconds(performance.now() - begun)}.

${lineTable({ 'cards dragged': passed.dragged, 'leads moved': passed.moved, kills: passed.kills, cards: passed.cards, leads: passed.leads, 'moves recorded': passed.events, calls: passed.calls, refused: passed.refused, 'most in a second': passed.peak, violations: violations.length })}${sentences({ violation: violations })}`;
    const args = `--seed ${seed} --cards ${cards} --moves ${moves} --deaths ${deaths}`;
    return { passed: violations.length === 0, command: command('crm', args), text };
  });
}

async function vendors(settings: Settings): Promise<Outcome> {
  const env = { RAPPORT_ASK_VENDOR_SECONDS: '1', RAPPORT_LOG_LEVEL: 'error' };
  return inWorld(
    async (world) => {
      const begun = performance.now();
      const { seed, people, rounds, say } = settings;
      const passed = await stormOfVendors({ seed, people, rounds, say }, world);
      const text = `One process; ${people} people of each vendor and messenger; answers lost, requests limited, hooks doubled and shuffled, then hooks lost, then an hour in which neither vendor can be reached; ${seconds(performance.now() - begun)}.

${lineTable({ 'written by leads': passed.written, 'of ours on phones': passed.reached, ...counts(passed.faults) })}

Unconfirmed, settled by hand: ${passed.reachedUnconfirmed} had arrived, ${passed.sentAgain} were sent again; refused and sent again: ${passed.refused}.${sentences(passed.faults)}`;
      const args = `--seed ${seed} --people ${people} --rounds ${rounds}`;
      return { passed: isClean(passed.faults), command: command('vendors', args), text };
    },
    { serve: true, env },
  );
}

async function windows({ isQuick }: Settings): Promise<Outcome> {
  const begun = performance.now();
  const { zones, changes, compared, wrong } = await compareWindows(isQuick ? 20 : 1);
  const text = `Against a search minute by minute: two days around each change of clocks of 2025 to 2028 and two ordinary weeks, in ${seconds(performance.now() - begun)}.

${lineTable({ zones, 'changes of clocks': changes, comparisons: compared, mismatches: wrong.length })}${sentences({ mismatch: wrong })}`;
  return { passed: wrong.length === 0, command: command('windows', isQuick ? '--quick' : ''), text };
}

/** A world with a database of its own, gone afterwards. It serves nothing itself, unless told to. */
async function inWorld(
  work: (world: World) => Promise<Outcome>,
  options: WorldOptions = { serve: false },
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  // As root PostgreSQL runs as somebody else: he has to pass, or the database would lie, and stay, elsewhere.
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
  firsts,
  crm,
  vendors,
  windows,
};
