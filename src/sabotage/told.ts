/** bench/SABOTAGE.md: what was tried last, entry by entry. What was not tried now keeps its line. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from '../testing/sections.ts';
import type { Sabotage } from './list.ts';
import { ROOT } from './run.ts';

export interface Told {
  readonly sabotage: Sabotage;
  /** Null: its test noticed. */
  readonly wrong: string | null;
}

const FILE = join(ROOT, 'bench/SABOTAGE.md');
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Writes the report. `wholeMs`: how long it took when all were tried. */
export function writeTold(all: readonly Sabotage[], told: readonly Told[], wholeMs: number | null): void {
  const former = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const lines = new Map(
    former
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| What was taken out'))
      .map((line): [string, string] => [line.split(' | ')[0]?.slice(2) ?? '', line]),
  );
  const today = new Date().toISOString().slice(0, 10);
  for (const { sabotage, wrong } of told)
    lines.set(
      cell(sabotage.name),
      `| ${cell(sabotage.name)} | \`${sabotage.file}\` | \`${sabotage.test}\`: ${cell(sabotage.named)} | ${wrong === null ? 'noticed' : `**${cell(wrong)}**`} | ${today} |`,
    );
  const kept = all.map(({ name }) => lines.get(cell(name)) ?? `| ${cell(name)} | | | **not tried** | |`);
  const noticed = kept.filter((line) => line.includes('| noticed |')).length;
  const whole =
    wholeMs === null
      ? (/^The last whole run .*$/m.exec(former)?.[0] ?? 'Not run whole yet.')
      : `The last whole run took ${Math.round(wholeMs / 60_000)} min on ${machine()}, ${today}.`;
  writeFileSync(
    FILE,
    `# Sabotage

Made by \`npm run sabotage\`: one guarding line after another is taken out, and the named test has to turn red; without it the test has to be green. With a part of a name only those lines are made anew. ${noticed} of ${all.length} were noticed.

${whole}

| What was taken out | where | the test that has to notice | | on |
|---|---|---|---|---|
${kept.join('\n')}
`,
  );
}
