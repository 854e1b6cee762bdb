/**
 * `npm run simulate -- --seeds N --first-seed S --leads L [--days D]`: simulates months on the real engine and checks
 * each message against the rules. Writes bench/SIMULATE.md, a section for each month, and ends with `N seeds, M
 * messages, V violations`; exits with code 1 on any.
 */
import { existsSync, readFileSync } from 'node:fs';
import { exitOnSignal, parseOptions, reportFile, settingsOf } from '../harness/command.ts';
import { describeRun, formatCount, listOf, rowTable, writeSection } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';
import { simulateMonth } from './month.ts';
import type { Month } from './simulation.ts';

const OPTIONS = { seeds: [3, 3], 'first-seed': [1, 1], leads: [1000, 1000], days: [31, 31] } as const;
const REPORT = reportFile('SIMULATE.md');

function runMonth(month: Month) {
  // Only processes are killed, not the machine, so writes need not reach the disk.
  const postgres = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return withWorld({ postgres }, async (world) => {
    await world.control.changeSettings({ seed: month.seed, statuses: { sentMs: 1, deliveredMs: 2, readMs: 4 } });
    return simulateMonth(month, world, (line) => console.log(line));
  });
}

/** Write the month's section; a repeated month replaces its own. */
function writeMonth(
  { seed, leads, days }: Month,
  { violations, ...counts }: Awaited<ReturnType<typeof simulateMonth>>,
  again: string,
): void {
  const heading = `Seed ${seed}, ${formatCount(leads)} leads, ${days} days`;
  const former = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : '';
  const headings = new Set([...former.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)).add(heading);
  const report = {
    file: REPORT,
    title: 'Simulated months',
    intro:
      'Made by `npm run simulate`: months on the real engine with a moved clock. Every message is checked against the rules, and every message that was due must have been sent. A section is replaced when its month is simulated again. PostgreSQL runs without fsync here: processes are killed, the machine is not.',
    headings: [...headings].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })),
  };
  const columns = { ...counts, violations: `**${violations.length}**` };
  writeSection(report, heading, `${describeRun()}. \`${again}\`\n\n${rowTable(columns)}\n\n${listOf(violations)}`);
}

exitOnSignal();
const { seeds, 'first-seed': first, leads, days } = settingsOf(OPTIONS, parseOptions(OPTIONS));
let messages = 0;
let violations = 0;
for (let seed = first; seed < first + seeds; seed++) {
  const startedAt = performance.now();
  const month = { seed, leads, days };
  const result = await runMonth(month);
  const again = `npm run simulate -- --seeds 1 --first-seed ${seed} --leads ${leads} --days ${days}`;
  writeMonth(month, result, again);
  messages += result.messages;
  violations += result.violations.length;
  if (result.violations.length > 0) console.log(`${listOf(result.violations)}\n  again: ${again}`);
  console.log(
    `seed ${seed}: ${result.messages} messages (${result.firsts} first, ${result.pings} follow-ups, ${result.replies} answers), ` +
      `${result.expired} expired, ${result.kills} kills, ${result.stops} stops, ${result.forecast} as forecast, ` +
      `${result.violations.length} violations, ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}
console.log(`${seeds} seeds, ${messages} messages, ${violations} violations`);
process.exit(violations === 0 ? 0 : 1);
