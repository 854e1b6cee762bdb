/** What was asked for on the command line: sizes, seed, manner. */
import { parseArgs } from 'node:util';
import { PARTS, type Part } from './report.ts';
import type { ClockBender } from './wrongClock.ts';

const WHOLE = {
  messages: 10_000,
  kills: 500,
  restarts: 20,
  rate: 300,
  seconds: 600,
  fills: 5,
  leads: 5000,
  limit: 100,
  interval: 60,
  days: 5,
  deaths: 10,
  cards: 20,
  moves: 300,
  people: 6,
  rounds: 10,
};
type Size = keyof typeof WHOLE;

/** Shows within minutes that everything works. */
const QUICK: Readonly<Record<Size, number>> = {
  messages: 240,
  kills: 14,
  restarts: 3,
  rate: 60,
  seconds: 20,
  fills: 1,
  leads: 60,
  limit: 10,
  interval: 60,
  days: 2,
  deaths: 4,
  cards: 4,
  moves: 16,
  people: 2,
  rounds: 2,
};

export interface Settings extends Readonly<Record<Size, number>> {
  readonly parts: readonly Part[];
  readonly seed: number;
  readonly isQuick: boolean;
  readonly bender: ClockBender;
  /** Minutes by which the workers' clocks are wrong. */
  readonly workers: readonly number[];
  readonly keep: boolean;
  readonly report: boolean;
  readonly say: (line: string) => void;
}

const options = {
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  seed: { type: 'string' },
  keep: { type: 'boolean', default: false },
  faketime: { type: 'boolean', default: false },
  workers: { type: 'string', default: '0,0,10,-10' },
  'no-report': { type: 'boolean', default: false },
} as const;

class Wrong extends Error {}

function wholeNumber(name: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new Wrong(`--${name} has to be a whole number, not "${given}".`);
}

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);
const isSize = (name: string): name is Size => Object.hasOwn(WHOLE, name);

/** Reads the arguments; says what is wrong with them and ends the process when something is. */
export function readSettings(args: readonly string[], say: (line: string) => void): Settings {
  try {
    return read(args, say);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return process.exit(2);
  }
}

function read(args: readonly string[], say: (line: string) => void): Settings {
  const sizeOptions = Object.fromEntries(Object.keys(WHOLE).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...args], options: { ...sizeOptions, ...options } });
  const sizes: Record<Size, number> = { ...(values.quick ? QUICK : WHOLE) };
  for (const [name, given] of Object.entries(values))
    if (isSize(name) && typeof given === 'string') sizes[name] = wholeNumber(name, given);
  const workers = values.workers.split(',').map(Number);
  if (workers.some((minutes) => !Number.isFinite(minutes)))
    throw new Wrong(`--workers has to be minutes, like 0,0,10,-10, not "${values.workers}".`);
  const parts = values.only?.split(',') ?? Object.keys(PARTS);
  const unknown = parts.find((one) => !isPart(one));
  if (unknown !== undefined) throw new Wrong(`--only knows ${Object.keys(PARTS).join(', ')}, not "${unknown}".`);
  return {
    ...sizes,
    parts: parts.filter(isPart),
    seed: values.seed === undefined ? Date.now() % 100_000 : wholeNumber('seed', values.seed),
    isQuick: values.quick,
    bender: values.faketime ? 'faketime' : 'preload',
    workers,
    keep: values.keep,
    report: !values['no-report'],
    say,
  };
}
