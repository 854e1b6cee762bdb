/** `npm run simulate`: simulates months on the real engine and checks each message; writes bench/SIMULATE.md. */
import { definePart, runCommand } from '../harness/command.ts';
import { table } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';
import { simulateMonth } from './month.ts';
import type { Month } from './simulation.ts';

function runMonth(month: Month, log: (line: string) => void) {
  // Only processes are killed, not the machine, so writes need not reach the disk.
  const postgres = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return withWorld({ postgres }, async (world) => {
    await world.control.changeSettings({ seed: month.seed, statuses: { sentMs: 1, deliveredMs: 2, readMs: 4 } });
    return simulateMonth(month, world, log);
  });
}

/** `--seeds N --first-seed S --leads L --days D`: simulates the months of N seeds. */
const months = definePart({
  heading: 'Months',
  options: { seeds: [3, 1], 'first-seed': [1, 1], leads: [1000, 30], days: [31, 4] },
  async run({ seeds, 'first-seed': first, leads, days, log }) {
    const rows: Record<string, number>[] = [];
    const violations: string[] = [];
    for (let seed = first; seed < first + seeds; seed++) {
      const startedAt = performance.now();
      const { violations: found, ...counts } = await runMonth({ seed, leads, days }, log);
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

await runCommand({
  name: 'simulate',
  title: 'Simulated months',
  intro:
    'Months on the real engine with a moved clock. Every message is checked against the rules, and every message that was due must have been sent. PostgreSQL runs without fsync here: processes are killed, the machine is not.',
  file: 'SIMULATE.md',
  parts: { months },
});
