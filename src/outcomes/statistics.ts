/** Statistics of proportions. Browser-safe. */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Return the 95 % Wilson score interval of a proportion, without continuity correction. Unlike the textbook interval it
 * stays within 0 and 1, and covers small samples (E. B. Wilson, 1927; R. G. Newcombe, 1998, method 3).
 *
 * @param n the number of trials; without any, nothing is known, and the interval is 0 to 1
 */
export function wilson(successes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const share = successes / n;
  const square = Z * Z;
  const denominator = 1 + square / n;
  const centre = (share + square / (2 * n)) / denominator;
  const half = (Z / denominator) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n));
  // Exact where all or none succeeded; rounding would leave a residue.
  return { low: successes === 0 ? 0 : centre - half, high: successes === n ? 1 : centre + half };
}
