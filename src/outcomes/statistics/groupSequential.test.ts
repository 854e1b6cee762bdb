import { describe, expect, it } from 'vitest';
import { criticalValues, crossingProbability, inflationFactor } from './groupSequential.ts';
import { normalQuantile } from './normal.ts';

const COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Jennison & Turnbull, tables 2.1 (Pocock) and 2.3 (O'Brien & Fleming): the constant for 1 to 10 analyses. */
const PUBLISHED = [
  ['obrien_fleming', 0.01, [2.576, 2.58, 2.595, 2.609, 2.621, 2.631, 2.64, 2.648, 2.654, 2.66]],
  ['obrien_fleming', 0.05, [1.96, 1.977, 2.004, 2.024, 2.04, 2.053, 2.063, 2.072, 2.08, 2.087]],
  ['obrien_fleming', 0.1, [1.645, 1.678, 1.71, 1.733, 1.751, 1.765, 1.776, 1.786, 1.794, 1.801]],
  ['pocock', 0.01, [2.576, 2.772, 2.873, 2.939, 2.986, 3.023, 3.053, 3.078, 3.099, 3.117]],
  ['pocock', 0.05, [1.96, 2.178, 2.289, 2.361, 2.413, 2.453, 2.485, 2.512, 2.535, 2.555]],
  ['pocock', 0.1, [1.645, 1.875, 1.992, 2.067, 2.122, 2.164, 2.197, 2.225, 2.249, 2.27]],
] as const;

it.each(PUBLISHED)(
  'the %s constants for alpha %d are the published ones for 1 to 10 analyses',
  (shape, alpha, constants) => {
    const last = COUNTS.map((analyses) => criticalValues({ shape, analyses, alpha }).at(-1));
    expect(last.map((value) => Number(value?.toFixed(3)))).toEqual(constants);
  },
);

describe('O’Brien & Fleming with five analyses', () => {
  const test = { shape: 'obrien_fleming', analyses: 5, alpha: 0.05 } as const;

  it('has the published critical values', () => {
    expect(criticalValues(test).map((value) => value.toFixed(4))).toEqual([
      '4.5617',
      '3.2256',
      '2.6337',
      '2.2809',
      '2.0401',
    ]);
  });

  it('crosses with probability alpha without a drift, and alike in both directions with one', () => {
    expect(crossingProbability(criticalValues(test), 0)).toBeCloseTo(0.05, 9);
    const [up, down] = [2.5, -2.5].map((drift) => crossingProbability(criticalValues(test), drift));
    expect(up).toBeCloseTo(down ?? 0, 12);
    expect(up).toBeGreaterThan(0.6);
  });
});

it('the inflation factors of O’Brien & Fleming are the published ones', () => {
  // Jennison & Turnbull, table 2.4, alpha 0.05.
  const factors = (power: number): string[] =>
    COUNTS.map((analyses) => inflationFactor({ analyses, alpha: 0.05, power }).toFixed(3));
  expect(factors(0.8)).toEqual([
    '1.000',
    '1.008',
    '1.017',
    '1.024',
    '1.028',
    '1.032',
    '1.035',
    '1.037',
    '1.038',
    '1.040',
  ]);
  expect(factors(0.9)).toEqual([
    '1.000',
    '1.007',
    '1.016',
    '1.022',
    '1.026',
    '1.030',
    '1.032',
    '1.034',
    '1.036',
    '1.037',
  ]);
});

it('numbers of analyses and alphas that mean nothing are refused', () => {
  for (const analyses of [0, 2.5, 21, Number.NaN])
    expect(() => criticalValues({ shape: 'pocock', analyses, alpha: 0.05 })).toThrow(RangeError);
  for (const alpha of [0, 2, Number.NaN])
    expect(() => criticalValues({ shape: 'pocock', analyses: 5, alpha })).toThrow(RangeError);
});

it('normal quantiles agree with published ones in the middle and in both tails', () => {
  const published = [
    [0.5, 0],
    [0.8, 0.8416212335729143],
    [0.975, 1.959963984540054],
    [0.995, 2.5758293035489004],
    [1e-4, -3.719016485455709],
    [1e-20, -9.26234008979841],
  ] as const;
  for (const [probability, quantile] of published) expect(normalQuantile(probability)).toBeCloseTo(quantile, 12);
  for (const probability of [0, 1, -0.1, Number.NaN]) expect(() => normalQuantile(probability)).toThrow(RangeError);
});
