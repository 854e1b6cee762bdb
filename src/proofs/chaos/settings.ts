/** Command-line settings: sizes, seed, mode. */
import { parseArgs } from 'node:util';
import type { ClockSkewMethod } from './clockSkew.ts';
import { PARTS, type Part } from './report.ts';

const FULL_SIZES = {
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
type Size = keyof typeof FULL_SIZES;

/** Small sizes that check everything within minutes. */
const QUICK_SIZES: Readonly<Record<Size, number>> = {
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
  readonly skewMethod: ClockSkewMethod;
  /** Minutes by which the workers' clocks are wrong. */
  readonly workers: readonly number[];
  readonly keep: boolean;
  readonly report: boolean;
  readonly log: (line: string) => void;
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

class ArgumentError extends Error {}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ArgumentError(`--${name} has to be a whole number, not "${text}".`);
}

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);
const isSize = (name: string): name is Size => Object.hasOwn(FULL_SIZES, name);

/** Parse the arguments; on an invalid one print the error and exit. */
export function readSettings(args: readonly string[], log: (line: string) => void): Settings {
  try {
    return parseSettings(args, log);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return process.exit(2);
  }
}

function parseSettings(args: readonly string[], log: (line: string) => void): Settings {
  const sizeOptions = Object.fromEntries(Object.keys(FULL_SIZES).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...args], options: { ...sizeOptions, ...options } });
  const sizes: Record<Size, number> = { ...(values.quick ? QUICK_SIZES : FULL_SIZES) };
  for (const [name, text] of Object.entries(values))
    if (isSize(name) && typeof text === 'string') sizes[name] = wholeNumber(name, text);
  const workers = values.workers.split(',').map(Number);
  if (workers.some((minutes) => !Number.isFinite(minutes)))
    throw new ArgumentError(`--workers has to be minutes, like 0,0,10,-10, not "${values.workers}".`);
  const parts = values.only?.split(',') ?? Object.keys(PARTS);
  const unknown = parts.find((one) => !isPart(one));
  if (unknown !== undefined)
    throw new ArgumentError(`--only knows ${Object.keys(PARTS).join(', ')}, not "${unknown}".`);
  return {
    ...sizes,
    parts: parts.filter(isPart),
    seed: values.seed === undefined ? Date.now() % 100_000 : wholeNumber('seed', values.seed),
    isQuick: values.quick,
    skewMethod: values.faketime ? 'faketime' : 'preload',
    workers,
    keep: values.keep,
    report: !values['no-report'],
    log,
  };
}
