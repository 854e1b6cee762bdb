/**
 * Group sequential tests: how far a difference must go at each of several equally spaced analyses, so that all of them
 * together declare a difference that is none with probability alpha. Browser-safe.
 *
 * Sources: Jennison & Turnbull, Group Sequential Methods with Applications to Clinical Trials (2000), chapters 2 and 19;
 * Armitage, McPherson & Rowe, Journal of the Royal Statistical Society A 132 (1969), 235–244, for the recursion.
 */
import { normalDensity, normalQuantile } from './normal.ts';

/**
 * `obrien_fleming`: strict early, almost the fixed test at the end (O'Brien & Fleming, Biometrics 35, 1979, 549–556).
 * `pocock`: equally strict at every analysis (Pocock, Biometrika 64, 1977, 191–199).
 */
type Shape = 'obrien_fleming' | 'pocock';

export interface SequentialTest {
  shape: Shape;
  /** Number of equally spaced analyses, 1 to 20. */
  analyses: number;
  /** Two-sided probability of rejecting a true null hypothesis at any of the analyses. */
  alpha: number;
}

/**
 * Return the critical value of |Z| at each analysis k of K: C·√(K/k) for O'Brien & Fleming, C for Pocock, with C such
 * that a path without drift crosses with probability alpha. For five analyses and alpha 0.05, O'Brien & Fleming's are
 * 4.5617, 3.2256, 2.6337, 2.2809 and 2.0401.
 *
 * @throws RangeError for a number of analyses that is not whole, or not from 1 to 20, or an alpha not between 0 and 1
 */
export function criticalValues(test: SequentialTest): readonly number[] {
  const key = `${test.shape} ${test.analyses} ${test.alpha}`;
  const cached = computed.get(key);
  if (cached !== undefined) return cached;
  const values = solveCriticalValues(test);
  computed.set(key, values);
  return values;
}

/** Solving takes milliseconds, and a page of experiments asks for the same tests again and again. */
const computed = new Map<string, readonly number[]>();
const MOST_ANALYSES = 20;

function solveCriticalValues({ shape, analyses, alpha }: SequentialTest): readonly number[] {
  if (!Number.isInteger(analyses) || analyses < 1 || analyses > MOST_ANALYSES)
    throw new RangeError(`The number of analyses must be from 1 to ${MOST_ANALYSES}: ${analyses}`);
  const scale = (constant: number): number[] =>
    Array.from({ length: analyses }, (_, index) =>
      shape === 'pocock' ? constant : constant * Math.sqrt(analyses / (index + 1)),
    );
  // C lies between the value of a single analysis and Bonferroni's for K of them.
  const constant = bisect({
    low: normalQuantile(1 - alpha / 2),
    high: normalQuantile(1 - alpha / (2 * analyses)),
    isTooLow: (guess) => crossingProbability(scale(guess), 0) > alpha,
  });
  return scale(constant);
}

/**
 * Return the probability that |Z_k| reaches its critical value at any analysis k, when Z has the mean `drift` at the last
 * analysis: the type I error without a drift, the power with one.
 *
 * The sums S_k = Z_k·√k have independent normal increments of variance 1 and mean drift/√K. The density of S_k on the
 * paths that have not crossed is f_k(s) = ∫ f_(k−1)(u)·φ(s − u − mean) du over |u| < c_(k−1)·√(k−1); the integral of f_K
 * over its own range is the probability of never crossing. Each integral is a Gauss–Legendre sum.
 */
export function crossingProbability(critical: readonly number[], drift: number): number {
  const mean = drift / Math.sqrt(critical.length);
  let before: Point[] = [{ at: 0, mass: 1 }];
  for (const [index, value] of critical.entries()) {
    const limit = value * Math.sqrt(index + 1);
    const after: Point[] = [];
    for (const { node, weight } of GAUSS_LEGENDRE) {
      const at = limit * node;
      let density = 0;
      for (const point of before) density += point.mass * normalDensity(at - point.at - mean);
      after.push({ at, mass: limit * weight * density });
    }
    before = after;
  }
  return 1 - before.reduce((sum, { mass }) => sum + mass, 0);
}

/** A value of S_k, and the part of the probability of not having crossed that the sum puts there. */
interface Point {
  at: number;
  mass: number;
}

/**
 * Return by which factor O'Brien & Fleming's test needs more observations than a single analysis at the planned end, for
 * the same alpha and power (Jennison & Turnbull, table 2.4): 1.028 for five analyses, alpha 0.05 and power 0.8.
 */
export function inflationFactor({ analyses, alpha, power }: Omit<SequentialTest, 'shape'> & { power: number }): number {
  const critical = criticalValues({ shape: 'obrien_fleming', analyses, alpha });
  const single = normalQuantile(1 - alpha / 2) + normalQuantile(power);
  const drift = bisect({
    low: 0,
    high: 2 * single,
    isTooLow: (guess) => crossingProbability(critical, guess) < power,
  });
  return (drift / single) ** 2;
}

function bisect(search: { low: number; high: number; isTooLow: (guess: number) => boolean }): number {
  let { low, high } = search;
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (search.isTooLow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const PRECISION = 1e-10;

/** 64 nodes leave an error below 1e-9 at ten analyses; the widest range is some twenty standard deviations. */
const GAUSS_LEGENDRE = gaussLegendre(64);

/** Return nodes and weights for integrals over −1 to 1: Newton's method on the Legendre polynomial. */
function gaussLegendre(count: number): { node: number; weight: number }[] {
  return Array.from({ length: count }, (_, index) => {
    let node = Math.cos((Math.PI * (index + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let step = 0; step < 8; step += 1) {
      let value = node;
      let before = 1;
      for (let degree = 2; degree <= count; degree += 1)
        [before, value] = [value, ((2 * degree - 1) * node * value - (degree - 1) * before) / degree];
      slope = (count * (node * value - before)) / (node * node - 1);
      node -= value / slope;
    }
    return { node, weight: 2 / ((1 - node * node) * slope * slope) };
  });
}
