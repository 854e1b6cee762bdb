/** `npm run simulate`: simulates months, in memory or with a database, and checks each message; writes SIMULATE.md. */
import { migrate } from '../../platform/migrate.ts';
import { createOutreachWorld } from '../../testing/outreachWorld.ts';
import { definePart, runCommand } from '../harness/command.ts';
import { table } from '../harness/report.ts';
import { withCluster } from '../harness/world.ts';
import { compareMonths } from './compare.ts';
import { beginMonth, simulateInMemory, simulateMonth } from './month.ts';
import { withRealWorld } from './realWorld.ts';
import { playWeeks } from './sendAt.ts';
import { SEND_AT_WEEKS } from './sendAtWeeks.ts';
import type { Month } from './simulation.ts';

/** Simulate a month on the engine with a database. */
function simulateWithDatabase(month: Month, log: (line: string) => void) {
  const { product, from } = beginMonth(month);
  return withRealWorld({ seed: month.seed, from, product }, (world) => simulateMonth(month, world, log));
}

type Simulate = typeof simulateInMemory;

/** Declare a part that simulates the months of N seeds: `--seeds N --first-seed S --leads L --days D`. */
const monthsOf = (heading: string, simulate: Simulate, sizes: { seeds: number; leads: number; days: number }) =>
  definePart({
    heading,
    options: { seeds: [sizes.seeds, 1], 'first-seed': [1, 1], leads: [sizes.leads, 30], days: [sizes.days, 4] },
    async run({ seeds, 'first-seed': first, leads, days, log }) {
      const rows: Record<string, number>[] = [];
      const violations: string[] = [];
      for (let seed = first; seed < first + seeds; seed++) {
        const startedAt = performance.now();
        const { violations: found, counts } = await simulate({ seed, leads, days }, log);
        rows.push({ seed, ...counts, violations: found.length, seconds: (performance.now() - startedAt) / 1000 });
        violations.push(...found.map((one) => `seed ${seed}: ${one}`));
        log(`seed ${seed}: ${counts.messages} messages, ${found.length} violations`);
      }
      const messages = rows.reduce((sum, row) => sum + (row['messages'] ?? 0), 0);
      return {
        text: `${seeds} seeds, ${messages} messages, ${violations.length} violations; ${leads} leads, ${days} days.

${table(Object.keys(rows[0] ?? {}), rows.map(Object.values<number>))}`,
        violations,
      };
    },
  });

/** Declare the comparison of both engines on one month: `--first-seed S --leads L --days D`. */
const compare = definePart({
  heading: 'Both engines',
  options: { 'first-seed': [2, 2], leads: [200, 20], days: [14, 4] },
  async run({ 'first-seed': seed, leads, days, log }) {
    const month = { seed, leads, days, steady: true };
    const memory = await simulateInMemory(month, log);
    const real = await simulateWithDatabase(month, log);
    const { compared, leftOut, largestSeconds, differences } = compareMonths(memory, real);
    return {
      text: `Seed ${seed}, ${leads} leads, ${days} days: ${compared} messages compared, ${differences.length} differ; at most ${largestSeconds} s apart. ${leftOut} leads have a message in the last three minutes of their working hours and are compared up to it.`,
      violations: [...differences, ...memory.violations, ...real.violations],
    };
  },
});

/** Declare weeks of first messages, by both engines. `--quick` plays the first few. */
const sendAt = definePart({
  heading: 'Send at',
  options: { weeks: [SEND_AT_WEEKS.length, 4] },
  async run({ weeks }) {
    const played = await withCluster({}, async ({ url }) => {
      await migrate(url);
      const world = await createOutreachWorld({ database: { url, drop: async () => undefined } });
      try {
        return await playWeeks(world, SEND_AT_WEEKS.slice(0, weeks));
      } finally {
        await world.close();
      }
    });
    const rows = played.flatMap(({ what, zone, rows: times }) =>
      times.map((one) => [what, `${one.sendAt} ${zone}`, one.expected ?? '', one.memory ?? '', one.real ?? '']),
    );
    const text = table(['week', 'Send at', 'expected (UTC)', 'in memory', 'with a database'], rows);
    return {
      text: `First messages of ${played.length} weeks that begin on a Friday, by both engines. Each leaves at or after its day's Send at, on the clock of its product.\n\n${text}`,
      violations: played.flatMap(({ violations }) => violations),
    };
  },
});

// A flag chooses what runs; without one, months in memory.
const FLAGS = { '--real': 'real', '--compare': 'compare', '--send-at': 'send-at' } as const;
const which = Object.entries(FLAGS).find(([flag]) => process.argv.includes(flag))?.[1] ?? 'memory';
process.argv = process.argv.filter((one) => !Object.hasOwn(FLAGS, one));
if (!process.argv.includes('--only')) process.argv.push('--only', which);

await runCommand({
  name: 'simulate',
  title: 'Simulated months',
  intro:
    'Months with a moved clock, by the deciders of the engine: in memory by default; with `--real` on the whole engine, where workers are killed; with `--compare` both, one after the other; with `--send-at` weeks of first messages by both. Every message is checked against the rules, and every message that was due must have been sent. PostgreSQL runs without fsync here: processes are killed, the machine is not.',
  file: 'SIMULATE.md',
  parts: {
    memory: monthsOf('Months in memory', simulateInMemory, { seeds: 20, leads: 10_000, days: 31 }),
    real: monthsOf('Months', simulateWithDatabase, { seeds: 3, leads: 1000, days: 31 }),
    compare,
    'send-at': sendAt,
  },
});
