/** How far a judge agrees with operators, whether it leans to a position, and rates corrected for its errors. Pure. */
import { normalQuantile } from '../../outcomes/statistics/normal.ts';
import { type Interval, wilsonInterval } from '../../outcomes/statistics/proportions.ts';

/** Two-sided 95 %. */
const Z = normalQuantile(0.975);
const ALPHA = 0.05;

/** A rate with its 95 % interval, each 0 to 1. */
export interface Rate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** What a judge and an operator said of the same pair. */
export interface Labelled<Answer extends string> {
  readonly judged: Answer;
  readonly label: Answer;
}

const toRate = (rate: number, { lower, upper }: Interval): Rate => ({ rate, low: lower, high: upper });

/** Return the share of pairs on which both agree, with Wilson's interval; null without pairs. */
export function agreementOf(pairs: readonly Labelled<string>[]): Rate | null {
  const n = pairs.length;
  if (n === 0) return null;
  const successes = pairs.filter(({ judged, label }) => judged === label).length;
  return toRate(successes / n, wilsonInterval({ n, successes }, Z));
}

/**
 * Return Cohen's kappa (Educational and Psychological Measurement 20, 1960, 37–46): agreement beyond what both would have
 * by chance, with how often each of them gives each answer. 1 is perfect, 0 is chance. Null if it is not defined: without
 * pairs, or if both always give the same answer.
 */
export function cohensKappa(pairs: readonly Labelled<string>[]): number | null {
  const n = pairs.length;
  if (n === 0) return null;
  const shareOf = (valueOf: (pair: Labelled<string>) => string, answer: string): number =>
    pairs.filter((pair) => valueOf(pair) === answer).length / n;
  const answers = new Set(pairs.flatMap(({ judged, label }) => [judged, label]));
  const expected = [...answers].reduce(
    (sum, answer) => sum + shareOf(({ judged }) => judged, answer) * shareOf(({ label }) => label, answer),
    0,
  );
  const observed = pairs.filter(({ judged, label }) => judged === label).length / n;
  return expected >= 1 ? null : (observed - expected) / (1 - expected);
}

/** What a judge preferred in each order of the same two answers: by their position, not by what they are. */
export interface BothOrders {
  readonly order: Position;
  readonly reverse: Position;
}
type Position = 'first' | 'second' | 'tie';

export interface PositionBias extends Rate {
  /** Whether the lean is beyond chance. */
  readonly isBeyondChance: boolean;
}

/**
 * Return how often a judge that prefers one of two answers prefers the one it reads first. A judge that sees no position
 * prefers the same answer in both orders, so the rate is 0.5; ties count as half. The interval is Wilson's for the number
 * of pairs, since the two orders of a pair are not independent. Null without pairs.
 *
 * The lean is tested by the pairs in which the judge did not prefer the same answer in both orders: without a lean, as many
 * of them lean to the first position as to the second (exact sign test, as McNemar's, two-sided 5 %).
 */
export function positionBiasOf(pairs: readonly BothOrders[]): PositionBias | null {
  const n = pairs.length;
  if (n === 0) return null;
  const leans = pairs.map(({ order, reverse }) => LEAN[order] + LEAN[reverse]);
  const rate = leans.reduce((sum, lean) => sum + (lean + 2) / 4, 0) / n;
  const toFirst = leans.filter((lean) => lean > 0).length;
  const toSecond = leans.filter((lean) => lean < 0).length;
  return {
    ...toRate(rate, wilsonInterval({ n, successes: rate * n }, Z)),
    isBeyondChance: signTest(toFirst, toSecond) < ALPHA,
  };
}

const LEAN: Readonly<Record<Position, number>> = { first: 1, tie: 0, second: -1 };

/** Return the two-sided probability that two equally likely signs are distributed so unevenly or more so. */
export function signTest(one: number, other: number): number {
  const n = one + other;
  const smaller = Math.min(one, other);
  let term = 0.5 ** n;
  let tail = 0;
  for (let count = 0; count <= smaller; count += 1) {
    tail += term;
    term *= (n - count) / (count + 1);
  }
  return Math.min(1, 2 * tail);
}
