/** Writes bench/MUTATIONS.md: the last result of each mutation. Mutations that were not run now keep their line. */
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
  const lines = new Map(former.split('\n').map((line) => [line.split(' | ')[0]?.slice(2), line]));
  const today = new Date().toISOString().slice(0, 10);
  for (const [{ name, file, test, failing }, wrong] of results) {
    const result = wrong === null ? 'noticed' : `**${cell(wrong.split('\n', 1)[0] ?? '')}**`;
    const row = [cell(name), `\`${file}\``, `\`${test}\`: ${cell(failing)}`, result, today];
    lines.set(cell(name), `| ${row.join(' | ')} |`);
  }
  const rows = all.map(({ name }) => lines.get(cell(name)) ?? `| ${cell(name)} | | | **not run** | |`);
  const noticed = rows.filter((line) => line.includes('| noticed |')).length;
  const whole =
    wholeMs === null
      ? (/^The last whole run .*$/m.exec(former)?.[0] ?? 'Not run whole yet.')
      : `The last whole run took ${Math.round(wholeMs / 60_000)} min on ${machine()}, ${today}.`;
  writeFileSync(
    FILE,
    `# Mutations

Written by \`npm run mutations\`: each mutation removes one guarding line, and the named test must fail with it and pass without it. With parts of names only those mutations are run again. ${noticed} of ${all.length} were noticed.

${whole}

| mutation | where | test that must fail | result | date |
|---|---|---|---|---|
${rows.join('\n')}
`,
  );
}
