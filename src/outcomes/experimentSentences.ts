/** English sentences for the decisions and guards of experiments. Browser-safe. */
import { countOf } from '../platform/numericText.ts';
import type { GuardCrossing } from './experimentGuards.ts';
import type { Decision } from './experimentStatistics.ts';

/**
 * Write a decision: `B is better (31 % against 22 %, 95 % interval of the difference 3 to 15)`, `no difference of 5 points
 * or more`, `too early: about 140 more attempts`. Variants that are worse, and with several variants the arm that the
 * winner was compared with, are named too.
 *
 * @param names one for each arm, the control first
 */
export function decisionSentence(decision: Decision, names: readonly string[]): string {
  switch (decision.kind) {
    case 'better':
      return betterSentence(decision, names);
    case 'no_difference':
      return `no difference of ${countOf(decision.lessThan, 'point')} or more${worseText(decision.worse, names)}`;
    case 'too_early':
      return `too early: about ${roundUp(decision.more).toLocaleString('en-US')} more attempts${worseText(decision.worse, names)}`;
    default:
      return decision satisfies never;
  }
}

function betterSentence(decision: Extract<Decision, { kind: 'better' }>, names: readonly string[]): string {
  const { arm, other, rate, otherRate, interval, level } = decision;
  // Whole points, unless the rates or the end of the interval that proves the difference would be lost in them.
  const digits = fewestDigits(0, (round) => round(rate) !== round(otherRate) && round(interval.lower) > 0);
  const points = (value: number): string => (value * 100).toFixed(digits);
  const than = names.length > 2 ? ` than ${nameOf(other, names)}` : '';
  const rates = `${points(rate)} % against ${points(otherRate)} %`;
  const range = `${points(interval.lower)} to ${points(interval.upper)}`;
  return `${nameOf(arm, names)} is better${than} (${rates}, ${+(level * 100).toFixed(1)} % interval of the difference ${range})`;
}

function worseText(worse: readonly number[], names: readonly string[]): string {
  if (worse.length === 0) return '';
  const list = worse.map((arm) => nameOf(arm, names)).join(' and ');
  return `; ${list} ${worse.length === 1 ? 'is' : 'are'} worse than ${nameOf(0, names)}`;
}

/** Round up to a number that nobody takes for exact: to tens, from a thousand on to hundreds. */
function roundUp(attempts: number): number {
  const step = attempts > 1000 ? 100 : 10;
  return Math.ceil(attempts / step) * step;
}

/**
 * Write why a variant was stopped: `B was stopped: opt-outs 9 % against 2 %, at least 3.1 points more (the limit is 2)`,
 * `B was stopped: cost $0.031 against $0.012 an attempt, at least $0.0161 more (the limit is $0.01)`.
 */
export function guardSentence({ metric, value, controlValue, excess, limit }: GuardCrossing, name: string): string {
  if (metric === 'cost') {
    const least = dollars(excess, { maximumSignificantDigits: 3, roundingMode: 'floor' });
    const costs = `cost ${dollars(value)} against ${dollars(controlValue)} an attempt`;
    return `${name} was stopped: ${costs}, at least ${least} more (the limit is ${dollars(limit)})`;
  }
  const digits = fewestDigits(0, (round) => round(value) !== round(controlValue));
  const rates = `${(value * 100).toFixed(digits)} % against ${(controlValue * 100).toFixed(digits)} %`;
  const places = fewestDigits(1, (_, floor) => floor(excess) > limit * 100);
  const least = Math.floor(excess * 100 * 10 ** places) / 10 ** places;
  const most = +(limit * 100).toFixed(2);
  return `${name} was stopped: ${GUARD_NOUNS[metric]} ${rates}, at least ${least} points more (the limit is ${most})`;
}

const GUARD_NOUNS = { opt_outs: 'opt-outs', refusals: 'refusals', complaints: 'complaints' };

function dollars(amount: number, options: Intl.NumberFormatOptions = { maximumSignificantDigits: 2 }): string {
  const format = amount >= 1 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : options;
  return `$${amount.toLocaleString('en-US', format)}`;
}

function nameOf(arm: number, names: readonly string[]): string {
  return names[arm] ?? `variant ${arm}`;
}

type InPoints = (rate: number) => number;

/** Return the smallest number of decimals, up to 4, at which points are told apart as they should be. */
function fewestDigits(from: number, suffices: (round: InPoints, floor: InPoints) => boolean): number {
  for (let digits = from; digits < 4; digits += 1) {
    const scale = 10 ** digits;
    const round: InPoints = (rate) => Math.round(rate * 100 * scale) / scale;
    const floor: InPoints = (rate) => Math.floor(rate * 100 * scale) / scale;
    if (suffices(round, floor)) return digits;
  }
  return 4;
}
