import { expect, it } from 'vitest';
import { type Count, differenceInterval, fixedSampleSize, wilsonInterval } from './proportions.ts';

const Z = 1.959963984540054;
const count = (successes: number, n: number): Count => ({ n, successes });

it('intervals of a rate are the published ones of Wilson', () => {
  // Newcombe, Statistics in Medicine 17 (1998), 857–872, table I, method 3.
  const published = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const;
  for (const [successes, n, lower, upper] of published) {
    const interval = wilsonInterval(count(successes, n), Z);
    expect([interval.lower, interval.upper].map((end) => Number(end.toFixed(4)))).toEqual([lower, upper]);
  }
  expect(wilsonInterval(count(20, 20), Z).upper).toBe(1);
  expect(wilsonInterval(count(0, 0), Z)).toEqual({ lower: 0, upper: 1 });
});

it('intervals of a difference are the published ones of Newcombe', () => {
  // Newcombe, Statistics in Medicine 17 (1998), 873–890, table II, method 10.
  const published = [
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 10, 0.6075, 1],
  ] as const;
  for (const [successes, n, others, m, lower, upper] of published) {
    const interval = differenceInterval(count(successes, n), count(others, m), Z);
    expect([interval.lower, interval.upper].map((end) => Number(end.toFixed(4)))).toEqual([lower, upper]);
  }
  expect(differenceInterval(count(0, 0), count(3, 10), Z)).toEqual({ lower: -1, upper: 1 });
});

it('a single analysis needs 292 attempts per arm from 20 to 30 %, and 1,092 from 20 to 25 %', () => {
  const size = (difference: number): number => fixedSampleSize({ baseRate: 0.2, difference, alpha: 0.05, power: 0.8 });
  expect(Math.ceil(size(0.1))).toBe(292);
  expect(Math.ceil(size(0.05))).toBe(1092);
  for (const difference of [0, -0.1, 0.9, Number.NaN]) expect(() => size(difference)).toThrow(RangeError);
});
