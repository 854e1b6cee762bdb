/**
 * The command line that the proofs share. A command has parts; `--only one,other` runs some of them, `--only studio` also
 * those that are named `studio.…`, and keeps the other sections of the report, `--quick` takes small sizes, `--no-report` writes nothing, `--seed S` repeats the same
 * choices. A part's options are listed in its file. The process exits with code 1 if a part finds a violation, and with
 * 2 on an invalid argument.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeRun, listOf, type Report, writeSection } from './report.ts';

export interface Outcome {
  /** Paragraphs and tables in Markdown. */
  readonly text: string;
  /** Broken guarantees and missed targets, one sentence each. */
  readonly violations: readonly string[];
}

/** Defaults at full and at quick size: whole numbers or texts. */
type Options = Readonly<Record<string, readonly [number, number] | readonly [string, string]>>;

// A type alias and not an interface, so that it counts as a record.
export type Run = { readonly seed: number; readonly isQuick: boolean; readonly log: (line: string) => void };
type ValueOf<D> = D extends readonly [string, string] ? string : number;
type Settings<O extends Options> = Run & { readonly [K in keyof O]: ValueOf<O[K]> };

export interface Part {
  /** Heading of its section in the report. */
  readonly heading: string;
  readonly options: Options;
  run(settings: Run & Record<string, unknown>): Promise<Outcome>;
}

interface PartDeclaration<O extends Options> {
  readonly heading: string;
  readonly options: O;
  run(settings: Settings<O>): Promise<Outcome>;
}

/** Declare a part with its typed options. */
export const definePart = <const O extends Options>(declaration: PartDeclaration<O>): Part => declaration;

export interface Command {
  readonly name: string;
  readonly title: string;
  /** Goes on the first paragraph of the report, which says how it is written. */
  readonly intro: string;
  /** File in `bench/`. */
  readonly file: string;
  readonly parts: Readonly<Record<string, Part>>;
}

/** Return the path of a report. */
export const reportFile = (name: string): string => join(import.meta.dirname, '../../../bench', name);

/** End the process on a signal, and with it, by their exit handlers, all processes that it started. */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

/** Print a sentence about an invalid argument and exit. */
export function refuseArguments(sentence: string): never {
  console.error(sentence);
  return process.exit(2);
}

type Values = Readonly<Record<string, string | undefined>>;

/** Parse the process's arguments, flags as "true"; prints the error and exits on an unknown one. */
function parseOptions(names: readonly string[]): Values {
  const strings = [...names, 'only', 'seed'].map((name) => [name, { type: 'string' }] as const);
  const flags = ['quick', 'no-report'].map((name) => [name, { type: 'boolean' }] as const);
  try {
    const { values } = parseArgs({ options: Object.fromEntries([...strings, ...flags]) });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    return refuseArguments(error instanceof Error ? error.message : String(error));
  }
}

/** Return a part's options: what was given, else its defaults. */
const settingsOf = (options: Options, values: Values): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(options).map(([name, [full, quick]]) => {
      const text = values[name];
      if (text === undefined) return [name, values['quick'] ? quick : full];
      return [name, typeof full === 'string' ? text : wholeNumber(name, text)];
    }),
  );

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  return refuseArguments(`--${name} has to be a whole number, not "${text}".`);
}

/** Run the parts that the arguments select, write their sections, and exit. */
export async function runCommand(command: Command): Promise<never> {
  exitOnSignal();
  const { name, file, title, intro, parts } = command;
  const all = Object.keys(parts);
  const values = parseOptions(Object.values(parts).flatMap(({ options }) => Object.keys(options)));
  const selected = values['only']?.split(',') ?? all;
  const isPartOf = (key: string, one: string): boolean => key === one || key.startsWith(`${one}.`);
  const unknown = selected.find((one) => !all.some((key) => isPartOf(key, one)));
  if (unknown !== undefined) refuseArguments(`--only knows ${all.join(', ')}, not "${unknown}".`);
  const seed = values['seed'] === undefined ? Date.now() % 100_000 : wholeNumber('seed', values['seed']);
  const report: Report = {
    file: reportFile(file),
    title,
    intro: `Written by \`npm run ${name}\`; with \`-- --only ${all.slice(0, 2).join(',')}\` only those parts run and the other sections stay. ${intro}`,
    headings: Object.values(parts).map(({ heading }) => heading),
  };
  let broken = 0;
  for (const [key, part] of Object.entries(parts)) {
    if (!selected.some((one) => isPartOf(key, one))) continue;
    log(`${key}, seed ${seed}`);
    const settings = settingsOf(part.options, values);
    const sizes = Object.entries(settings).map(([option, value]) => (value === '' ? '' : ` --${option} ${value}`));
    const again = `npm run ${name} -- --only ${key} --seed ${seed}${sizes.join('')}`;
    try {
      const { text, violations } = await part.run({ ...settings, seed, isQuick: values['quick'] !== undefined, log });
      const sentence =
        violations.length === 0 ? 'Nothing is violated and no target missed.' : '**Not everything held**: see below.';
      for (const line of `${text}\n${listOf(violations)}`.split('\n')) if (line !== '') log(`  ${line}`);
      if (!values['no-report'])
        writeSection(
          report,
          part.heading,
          `\`${again}\`, ${describeRun()}. ${sentence}\n\n${text}\n\n${listOf(violations)}`,
        );
      if (violations.length > 0) broken++;
      log(`${key}: ${violations.length} violations${violations.length > 0 ? `; again by: ${again}` : ''}`);
    } catch (error) {
      // The section of the last completed run stays.
      console.error(error);
      log(`${key} did not complete; again by: ${again}`);
      broken++;
    }
  }
  process.exit(broken === 0 ? 0 : 1);
}

const startedAt = performance.now();

/** Print a line with the time since the start. */
function log(line: string): void {
  const all = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${String(Math.floor(all / 60)).padStart(3)}:${String(all % 60).padStart(2, '0')}  ${line}`);
}
