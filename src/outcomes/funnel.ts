/** The figures of a set of attempts, from their counts by what was reached. */
import { type Funnel, type Reached, reachable } from './outcomeContract.ts';
import { wilsonInterval } from './statistics/proportions.ts';

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** Attempts that have reached the same. */
export interface ReachedGroup {
  readonly reached: ReadonlySet<Reached>;
  readonly count: number;
  readonly cost: number;
}

/** With fewer attempts a rate tells nothing. */
const FEW = 30;

export const isTooFew = (attempts: number): boolean => attempts < FEW;

/** Return a share with its interval. */
export function rateOf(successes: number, attempts: number): Funnel['rates'][Reached] {
  const { lower: low, upper: high } = wilsonInterval({ n: attempts, successes }, Z);
  return { rate: attempts === 0 ? null : successes / attempts, low, high };
}

/** Return the figures of all groups together. */
export function funnelOf(groups: readonly ReachedGroup[]): Funnel {
  const sum = (rows: readonly ReachedGroup[]): number => rows.reduce((total, { count }) => total + count, 0);
  const attempts = sum(groups);
  const counts = mapReached((name) => sum(groups.filter(({ reached }) => reached.has(name))));
  // The column has eight decimals; their sum as floating-point numbers would have a residue.
  const cost = Math.round(groups.reduce((total, group) => total + group.cost, 0) * 1e8) / 1e8;
  return {
    attempts,
    ...counts,
    cost,
    cost_per_qualified: counts.qualified === 0 ? null : cost / counts.qualified,
    cost_per_success: counts.success === 0 ? null : cost / counts.success,
    rates: mapReached((name) => rateOf(counts[name], attempts)),
    too_few: isTooFew(attempts),
  };
}

function mapReached<T>(value: (name: Reached) => T): Record<Reached, T> {
  return Object.fromEntries(reachable.map((name) => [name, value(name)])) as Record<Reached, T>;
}
