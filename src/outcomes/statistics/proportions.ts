/** Rates and their differences. Browser-safe. */
import { normalQuantile } from './normal.ts';

/** How many attempts there were, and how many of them had the outcome that is counted. */
export interface Count {
  n: number;
  successes: number;
}

export interface Interval {
  lower: number;
  upper: number;
}

/** Return the rate, 0 to 1; 0 without attempts. */
export function rateOf({ n, successes }: Count): number {
  return n === 0 ? 0 : successes / n;
}

/**
 * Return the interval of a rate: the score interval of Wilson, Journal of the American Statistical Association 22 (1927),
 * 209–212. `z` is the normal quantile of the level: 1.96 for 95 %. Without attempts, it is 0 to 1.
 */
export function wilsonInterval(count: Count, z: number): Interval {
  const { n } = count;
  if (n === 0) return { lower: 0, upper: 1 };
  const rate = rateOf(count);
  const scale = 1 + (z * z) / n;
  const middle = (rate + (z * z) / (2 * n)) / scale;
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  // Exact ends: rounding would leave 1e-17 where there were no successes.
  return {
    lower: count.successes === 0 ? 0 : middle - half,
    upper: count.successes === n ? 1 : middle + half,
  };
}

/**
 * Return the interval of the difference `count` − `other` of two rates: the hybrid score interval, method 10 of Newcombe,
 * Statistics in Medicine 17 (1998), 873–890.
 */
export function differenceInterval(count: Count, other: Count, z: number): Interval {
  if (count.n === 0 || other.n === 0) return { lower: -1, upper: 1 };
  const [rate, otherRate] = [rateOf(count), rateOf(other)];
  const [own, others] = [wilsonInterval(count, z), wilsonInterval(other, z)];
  return {
    lower: rate - otherRate - Math.hypot(rate - own.lower, others.upper - otherRate),
    upper: rate - otherRate + Math.hypot(own.upper - rate, otherRate - others.lower),
  };
}

export interface Detection {
  /** The rate that is expected of the control, 0 to 1. */
  baseRate: number;
  /** The smallest increase of the rate that is to be found. */
  difference: number;
  /** Two-sided probability of finding a difference where there is none. */
  alpha: number;
  /** Probability of finding the difference. */
  power: number;
}

/**
 * Return how many attempts each of two arms needs when there is one analysis at the end, not rounded:
 * 2·((z_(1−α/2) + z_power) / h)², with h = 2·asin√(p + difference) − 2·asin√p (Cohen, Statistical Power Analysis for the
 * Behavioral Sciences, 1988, chapter 6). From 20 to 30 % it is 291.7, from 20 to 25 % 1,091.8.
 *
 * @throws RangeError unless the rates are between 0 and 1 and the difference is above 0
 */
export function fixedSampleSize({ baseRate, difference, alpha, power }: Detection): number {
  if (!(baseRate >= 0 && difference > 0 && baseRate + difference <= 1))
    throw new RangeError(`No rates between 0 and 1: from ${baseRate} by ${difference}`);
  const effect = 2 * Math.asin(Math.sqrt(baseRate + difference)) - 2 * Math.asin(Math.sqrt(baseRate));
  return 2 * ((normalQuantile(1 - alpha / 2) + normalQuantile(power)) / effect) ** 2;
}
