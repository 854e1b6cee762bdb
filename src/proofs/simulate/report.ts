/** Writes bench/SIMULATE.md: one section for each simulated month; a repeated month replaces its own. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineWithDatabase, writeSection } from '../../testing/reportSections.ts';
import type { Result } from './month.ts';
import type { Month } from './simulation.ts';

const FILE = join(import.meta.dirname, '../../../bench/SIMULATE.md');

const formatCount = (value: number): string => value.toLocaleString('en');

export function writeMonth({ seed, leads, days }: Month, result: Result, seconds: number): void {
  const heading = `Seed ${seed}, ${formatCount(leads)} leads, ${days} days`;
  const former = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const existingHeadings = [...former.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
  const report = {
    file: FILE,
    title: 'Simulated months',
    intro:
      'Made by `npm run simulate`: months on the real engine with a moved clock; every message is held against the rules, by its own light and by what should have gone. A section is replaced when its month is lived again. PostgreSQL without fsync here: processes are killed, the machine is not.',
    headings: [...new Set([...existingHeadings, heading])].toSorted((a, b) =>
      a.localeCompare(b, 'en', { numeric: true }),
    ),
  };
  const { messages, firsts, pings, replies, expired, kills, forecast, violations } = result;
  const text = `${new Date().toISOString().slice(0, 10)}. ${machineWithDatabase().replace(', fsync on', '')}. \`npm run simulate -- --seeds 1 --first-seed ${seed} --leads ${leads} --days ${days}\`

| messages | first | follow-ups | answers | expired | kills | as foretold | violations | took |
|---|---|---|---|---|---|---|---|---|
| ${[messages, firsts, pings, replies, expired, kills, forecast].map(formatCount).join(' | ')} | **${violations.length}** | ${Math.round(seconds)} s |`;
  writeSection(report, heading, text);
}
