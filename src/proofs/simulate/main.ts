/**
 * `npm run simulate -- --seeds N --first-seed S --leads L [--days D]`: simulates months on the real engine and checks
 * each message against the rules. Writes bench/SIMULATE.md and ends with `N seeds, M messages, V violations`; exits
 * with code 1 on any.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../platform/migrate.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import { createWorld } from '../../testing/world.ts';
import { type Result, simulateMonth } from './month.ts';
import { writeMonth } from './report.ts';
import type { Month } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    'first-seed': { type: 'string', default: '1' },
    leads: { type: 'string', default: '1000' },
    days: { type: 'string', default: '31' },
  },
});

function integerOption(name: 'seeds' | 'first-seed' | 'leads' | 'days'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} has to be a whole number above 0, not "${values[name]}".`);
  process.exit(2);
}

async function runMonth(month: Month): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-simulate-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  // Only processes are killed, not the machine, so writes need not reach the disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet, settings });
  try {
    await migrate(postgres.superuserUrl);
    const world = await createWorld({
      serve: false,
      database: { url: postgres.superuserUrl, drop: async () => undefined },
    });
    await world.control.changeSettings({ seed: month.seed, statuses: { sentMs: 1, deliveredMs: 2, readMs: 4 } });
    try {
      return await simulateMonth(month, world, (line) => console.log(line));
    } finally {
      await world.close();
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const seeds = integerOption('seeds');
const first = integerOption('first-seed');
const leads = integerOption('leads');
const days = integerOption('days');
let messages = 0;
let violations = 0;
for (let seed = first; seed < first + seeds; seed++) {
  const startedAt = performance.now();
  const month = { seed, leads, days };
  const result = await runMonth(month);
  writeMonth(month, result, (performance.now() - startedAt) / 1000);
  messages += result.messages;
  violations += result.violations.length;
  for (const one of result.violations.slice(0, 30)) console.log(`  ${one}`);
  if (result.violations.length > 30) console.log(`  and ${result.violations.length - 30} more`);
  console.log(
    `seed ${seed}: ${result.messages} messages (${result.firsts} first, ${result.pings} follow-ups, ${result.replies} answers), ` +
      `${result.expired} expired, ${result.kills} kills, ${result.stops} stops, ${result.forecast} as foretold, ` +
      `${result.violations.length} violations, ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  if (result.violations.length > 0)
    console.log(`  again: npm run simulate -- --seeds 1 --first-seed ${seed} --leads ${leads} --days ${days}`);
}
console.log(`${seeds} seeds, ${messages} messages, ${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
