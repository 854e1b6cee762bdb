import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wilson } from './statistics.ts';

it.each([
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('gives the published interval of %i among %i', (successes, n, low, high) => {
  const interval = wilson(successes, n);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

it('contains the rate, stays within 0 and 1, and says nothing without trials', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const successes = Math.round(n * share);
      const { low, high } = wilson(successes, n);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(successes / n);
      expect(high).toBeGreaterThanOrEqual(successes / n);
    }),
  );
});
