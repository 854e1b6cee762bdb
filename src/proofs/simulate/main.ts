/** `npm run simulate`: simulates months, in memory or with a database, and checks each message; writes SIMULATE.md. */
import { definePart, runCommand } from '../harness/command.ts';
import { table } from '../harness/report.ts';
import { compareMonths } from './compare.ts';
import { beginMonth, simulateInMemory, simulateMonth } from './month.ts';
import { withRealWorld } from './realWorld.ts';
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

// `--real` and `--compare` choose what runs; without them, months in memory.
const [which = 'memory'] = ['real', 'compare'].filter((flag) => process.argv.includes(`--${flag}`));
process.argv = process.argv.filter((one) => one !== '--real' && one !== '--compare');
if (!process.argv.includes('--only')) process.argv.push('--only', which);

await runCommand({
  name: 'simulate',
  title: 'Simulated months',
  intro:
    'Months with a moved clock, by the deciders of the engine: in memory by default; with `--real` on the whole engine, where workers are killed; with `--compare` both, one after the other. Every message is checked against the rules, and every message that was due must have been sent. PostgreSQL runs without fsync here: processes are killed, the machine is not.',
  file: 'SIMULATE.md',
  parts: {
    memory: monthsOf('Months in memory', simulateInMemory, { seeds: 20, leads: 10_000, days: 31 }),
    real: monthsOf('Months', simulateWithDatabase, { seeds: 3, leads: 1000, days: 31 }),
    compare,
  },
});
