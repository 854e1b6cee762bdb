/** Writes bench/MUTATIONS.md: the last result of each entry. Entries that were not run now keep their line. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { reportFile } from '../harness/command.ts';
import { machine } from '../harness/report.ts';
import type { Mutation } from './mutation.ts';

const FILE = reportFile('MUTATIONS.md');
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Write the report. `results`: what is wrong, null if the test failed; `wholeMs`: duration if all mutations were run. */
export function writeReport(
  all: readonly Mutation[],
  results: ReadonlyMap<Mutation, string | null>,
  wholeMs: number | null,
): void {
  const former = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const lines = new Map(
    former
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| What was taken out'))
      .map((line): [string, string] => [line.split(' | ')[0]?.slice(2) ?? '', line]),
  );
  const today = new Date().toISOString().slice(0, 10);
  for (const [{ name, file, test, testName }, wrong] of results) {
    const result = wrong === null ? 'noticed' : `**${cell(wrong.split('\n', 1)[0] ?? '')}**`;
    const row = [cell(name), `\`${file}\``, `\`${test}\`: ${cell(testName)}`, result, today];
    lines.set(cell(name), `| ${row.join(' | ')} |`);
  }
  const rows = all.map(({ name }) => lines.get(cell(name)) ?? `| ${cell(name)} | | | **not tried** | |`);
  const noticed = rows.filter((line) => line.includes('| noticed |')).length;
  const whole =
    wholeMs === null
      ? (/^The last whole run .*$/m.exec(former)?.[0] ?? 'Not run whole yet.')
      : `The last whole run took ${Math.round(wholeMs / 60_000)} min on ${machine()}, ${today}.`;
  writeFileSync(
    FILE,
    `# Mutations

Made by \`npm run mutations\`: one guarding line after another is taken out, and the named test has to turn red; without it the test has to be green. With a part of a name only those lines are made anew. ${noticed} of ${all.length} were noticed.

${whole}

| What was taken out | where | the test that has to notice | | on |
|---|---|---|---|---|
${rows.join('\n')}
`,
  );
}
