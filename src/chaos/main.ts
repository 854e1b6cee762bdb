/**
 * What must hold whatever dies when; exit code 1 when something does not.
 * - `npm run chaos -- --kills K --messages M [--seed S]`: every message is accounted for.
 * - `npm run chaos -- --only firsts [--kills K --leads L --limit N --interval SECONDS --days D --workers 0,0,10,-10]`:
 *   first messages keep limit and interval; each worker is given by the minutes by which its clock is wrong.
 * - `npm run chaos -- --only crm [--kills K --cards C --moves M --seed S]`: leads and cards agree, whatever hooks and answers
 *   are lost.
 * - `npm run chaos -- --only vendors [--people P --rounds R --seed S]`: messengers that misbehave, P people of each vendor
 *   and messenger; nothing is lost, doubled or out of order.
 * - `npm run chaos -- --only windows`: working hours in every zone against a minute by minute search.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../platform/migrate.ts';
import { startPostgres } from '../platform/postgres/supervisor.ts';
import { createWorld, type World, type WorldOptions } from '../testing/world.ts';
import { stormOfCrm } from './crm.ts';
import { stormOfFirsts } from './firsts.ts';
import { stormOfMessages } from './messages.ts';
import { stormOfVendors } from './vendors.ts';
import { compareWindows } from './windows.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'messages' },
    kills: { type: 'string', default: '10' },
    messages: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    keep: { type: 'boolean', default: false },
    leads: { type: 'string', default: '5000' },
    cards: { type: 'string', default: '20' },
    moves: { type: 'string', default: '300' },
    limit: { type: 'string', default: '100' },
    interval: { type: 'string', default: '60' },
    days: { type: 'string', default: '5' },
    workers: { type: 'string', default: '0,0,10,-10' },
    people: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '10' },
  },
});

function whole(name: Exclude<keyof typeof values, 'only' | 'keep' | 'workers'>): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name} has to be a whole number, not "${values[name]}".`);
  process.exit(2);
}

const say = (line: string): void => console.log(line);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function firsts(): Promise<boolean> {
  const workers = values.workers.split(',').map(Number);
  if (workers.some((skew) => !Number.isFinite(skew))) {
    console.error(`--workers has to be minutes, like 0,0,10,-10, not "${values.workers}".`);
    process.exit(2);
  }
  return inWorld(async (world) => {
    const begun = performance.now();
    const [leads, limit, seed] = [whole('leads'), whole('limit'), whole('seed')];
    const [intervalSeconds, days, kills] = [whole('interval'), whole('days'), whole('kills')];
    say(`seed ${seed}: ${workers.length} workers, clocks wrong by ${workers.join(', ')} minutes, ${leads} leads`);
    const storm = { seed, workers, leads, limit, intervalSeconds, days, kills, say };
    const passed = await stormOfFirsts(storm, world);
    for (const one of passed.violations.slice(0, 30)) say(`  ${one}`);
    say(
      `${passed.kills} kills in ${seconds(performance.now() - begun)}; accepted a day: ${passed.perDay.join(', ')}, then ${passed.rest}; ` +
        `nearest ${seconds(passed.nearestMs)}; ${passed.deadlocks} deadlocks, ${passed.violations.length} violations`,
    );
    return passed.violations.length === 0;
  });
}

function crm(): Promise<boolean> {
  return inWorld(async (world) => {
    const begun = performance.now();
    const storm = { seed: whole('seed'), cards: whole('cards'), moves: whole('moves'), kills: whole('kills'), say };
    const passed = await stormOfCrm(storm, world);
    for (const one of passed.violations.slice(0, 30)) say(`  ${one}`);
    say(
      `seed ${storm.seed}: ${passed.dragged} cards dragged, ${passed.moved} leads moved, ${passed.kills} kills in ` +
        `${seconds(performance.now() - begun)}; ${passed.cards} cards, ${passed.leads} leads, ${passed.events} moves of the CRM recorded; ` +
        `${passed.calls} calls, ${passed.refused} refused, at most ${passed.peak} a second; ${passed.violations.length} violations`,
    );
    return passed.violations.length === 0;
  });
}

/** A world with a database of its own, gone afterwards. It serves nothing itself, unless told to. */
async function inWorld(
  work: (world: World) => Promise<boolean>,
  options: WorldOptions = { serve: false },
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-chaos-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  try {
    await migrate(postgres.url);
    const world = await createWorld({ ...options, database: { url: postgres.url, drop: async () => undefined } });
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

function vendors(): Promise<boolean> {
  const env = { RAPPORT_ASK_VENDOR_SECONDS: '1', RAPPORT_LOG_LEVEL: 'error' };
  return inWorld(
    async (world) => {
      const begun = performance.now();
      const storm = { seed: whole('seed'), people: whole('people'), rounds: whole('rounds'), say };
      say(`seed ${storm.seed}: ${storm.people} people of each vendor and messenger, ${storm.rounds} rounds`);
      const passed = await stormOfVendors(storm, world);
      const faults = Object.entries(passed.faults);
      for (const [name, list] of faults) for (const one of list.slice(0, 20)) say(`  ${name}: ${one}`);
      say(
        `${passed.written} of leads, ${passed.reached} of ours in ${seconds(performance.now() - begun)}: ` +
          `${faults.map(([name, list]) => `${name} ${list.length}`).join(', ')}; ` +
          `unconfirmed ${passed.reachedUnconfirmed + passed.sentAgain} (${passed.reachedUnconfirmed} had arrived, ${passed.sentAgain} sent again), ` +
          `refused and sent again ${passed.refused}`,
      );
      return faults.every(([, list]) => list.length === 0);
    },
    { serve: true, env },
  );
}

async function windows(): Promise<boolean> {
  const begun = performance.now();
  const { zones, changes, compared, wrong } = await compareWindows();
  for (const one of wrong.slice(0, 30)) say(`  ${one}`);
  say(
    `${zones} zones, ${changes} changes of clocks, ${compared.toLocaleString('en')} comparisons in ` +
      `${seconds(performance.now() - begun)}: ${wrong.length} mismatches`,
  );
  return wrong.length === 0;
}

const parts: Readonly<Record<string, () => Promise<boolean>>> = {
  messages: () =>
    stormOfMessages({
      kills: whole('kills'),
      messages: whole('messages'),
      seed: whole('seed'),
      keep: values.keep,
      say,
    }),
  firsts,
  crm,
  vendors,
  windows,
};
const part = parts[values.only];
if (!part) {
  console.error(`--only knows ${Object.keys(parts).join(', ')}, not "${values.only}".`);
  process.exit(2);
}
process.exit((await part()) ? 0 : 1);
