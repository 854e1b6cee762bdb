/** Writes bench/CHAOS.md: what each part did, and what it found. */
import { join } from 'node:path';
import { machineWithDatabase, type Report, writeSection } from '../../testing/reportSections.ts';

export const PARTS = {
  messages: 'Messages under kills',
  hooks: 'Webhooks under kills',
  disk: 'A full disk',
  firsts: 'First messages under kills',
  crm: 'The CRM under kills',
  vendors: 'Messengers that misbehave',
  windows: 'Working hours in every zone',
} as const;
export type Part = keyof typeof PARTS;

/** Result of a part. */
export interface Outcome {
  /** False if a guarantee is broken or a target missed. */
  readonly passed: boolean;
  /** Command that runs it again with the same choices. */
  readonly command: string;
  /** Paragraphs and tables in Markdown. */
  readonly text: string;
}

const CHAOS: Report = {
  file: join(import.meta.dirname, '../../../bench/CHAOS.md'),
  title: 'Chaos',
  intro:
    "Made by `npm run chaos`; with `-- --only hooks,disk` the parts named are run anew and the others kept. Each part has a database, emulators and processes of its own, and ends with a reckoning: what stands on the phones, by the emulators' journal, against the rows.",
  headings: Object.values(PARTS),
};

export function writeOutcome(part: Part, { passed, command, text }: Outcome): void {
  const day = new Date().toISOString().slice(0, 10);
  const summary = passed ? 'Every promise held.' : '**Not everything held**: see below.';
  writeSection(CHAOS, PARTS[part], `\`${command}\`, ${day}, ${machineWithDatabase()}. ${summary}\n\n${text}`);
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString('en');

/** Render a table with one row. */
export function singleRowTable(columns: Readonly<Record<string, string | number>>): string {
  const names = Object.keys(columns);
  const values = Object.values(columns).map((one) => (typeof one === 'number' ? formatCount(one) : one));
  return `| ${names.join(' | ')} |\n|${names.map(() => '---|').join('')}\n| ${values.join(' | ')} |`;
}

/** List the violations, at most this many of each kind. */
export function violationList(faults: Readonly<Record<string, readonly string[]>>): string {
  const broken = Object.entries(faults).flatMap(([name, list]) => list.slice(0, 10).map((one) => `- ${name}: ${one}`));
  return broken.length === 0 ? '' : `\n\n${broken.join('\n')}`;
}

/** Format the counts by name in words. */
export const formatCounts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';
