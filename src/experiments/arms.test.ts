import { describe, expect, it } from 'vitest';
import { armOf, murmurHash3 } from './arms.ts';

const HALVES = { part: 1, arms: [1, 1] };
const QUARTERS = { part: 1, arms: [1, 1, 1, 1] };
const LEADS = Array.from({ length: 100_000 }, (_, index) => index + 1);

/** Pearson's chi-square of observed counts against what the probabilities lead to expect. */
function chiSquare(observed: readonly number[], probabilities: readonly number[]): number {
  const total = observed.reduce((sum, value) => sum + value, 0);
  return observed.reduce((sum, value, index) => {
    const expected = total * (probabilities[index] ?? 0);
    return sum + (value - expected) ** 2 / expected;
  }, 0);
}

/** Count how often each pair of values occurs; chi-square of the table against independence of two uniform values. */
function chiSquareOfPairs(
  pairs: readonly (readonly [number, number])[],
  [rows, columns]: readonly [number, number],
): number {
  const table = Array.from({ length: rows * columns }, () => 0);
  for (const [row, column] of pairs) table[row * columns + column] = (table[row * columns + column] ?? 0) + 1;
  return chiSquare(
    table,
    table.map(() => 1 / table.length),
  );
}

function counts(experiment: number, shares: Parameters<typeof armOf>[2]): number[] {
  const found = [...shares.arms, 0].map(() => 0);
  for (const lead of LEADS) {
    const arm = armOf(lead, experiment, shares) ?? shares.arms.length;
    found[arm] = (found[arm] ?? 0) + 1;
  }
  return found;
}

it('the hash is MurmurHash3 with seed 0', () => {
  expect(murmurHash3('')).toBe(0);
  expect(murmurHash3('test')).toBe(0xba6bd213);
  expect(murmurHash3('Hello, world!')).toBe(0xc0363e43);
  expect(murmurHash3('The quick brown fox jumps over the lazy dog')).toBe(0x2e4ff723);
});

it('a lead keeps its arm, whatever the version: changing the hash would move leads of running experiments', () => {
  const arms = [1, 2, 3, 4, 5, 6, 7, 8, 9_007_199_254_740_991].map((lead) => armOf(lead, 7, QUARTERS));
  expect(arms).toMatchInlineSnapshot(`
    [
      2,
      1,
      1,
      0,
      0,
      0,
      1,
      3,
      3,
    ]
  `);
});

describe('100,000 leads', () => {
  it('are split evenly among four arms, in each of ten experiments', () => {
    for (let experiment = 1; experiment <= 10; experiment += 1) {
      const found = counts(experiment, QUARTERS).slice(0, 4);
      // The 0.9999 quantile of chi-square with 3 degrees of freedom.
      expect(chiSquare(found, [0.25, 0.25, 0.25, 0.25])).toBeLessThan(21.1);
    }
  });

  it('are split by unequal shares, and only a part of them takes part', () => {
    const found = counts(3, { part: 0.3, arms: [50, 30, 20] });
    // The 0.999 quantile with 3 degrees of freedom.
    expect(chiSquare(found, [0.15, 0.09, 0.06, 0.7])).toBeLessThan(16.27);
  });

  it('have independent arms in two experiments', () => {
    for (const [one, other] of [
      [1, 2],
      [7, 8],
      [1, 11],
      [12, 21],
      [99, 1000],
    ] as const) {
      const pairs = LEADS.map((lead) => [armOf(lead, one, QUARTERS) ?? 0, armOf(lead, other, QUARTERS) ?? 0] as const);
      // The 0.9999 quantile with 15 degrees of freedom.
      expect(chiSquareOfPairs(pairs, [4, 4])).toBeLessThan(44.3);
    }
  });

  it('have arms that depend neither on the id’s last digit nor on the arm of the lead before', () => {
    const arms = LEADS.map((lead) => armOf(lead, 5, HALVES) ?? 0);
    const digits = LEADS.map((lead, index) => [lead % 10, arms[index] ?? 0] as const);
    // The 0.9999 quantiles with 19 and 3 degrees of freedom.
    expect(chiSquareOfPairs(digits, [10, 2])).toBeLessThan(50.8);
    const neighbours = arms.slice(1).map((arm, index) => [arm, arms[index] ?? 0] as const);
    expect(chiSquareOfPairs(neighbours, [2, 2])).toBeLessThan(21.1);
  });
});

it('chi-square exceeds its 0.95 quantile in about 5 % of 400 experiments', () => {
  const exceeding = Array.from({ length: 400 }, (_, index) => index + 1).filter((experiment) => {
    const found = [0, 0, 0, 0];
    for (let lead = 1; lead <= 1000; lead += 1) {
      const arm = armOf(lead, experiment, QUARTERS) ?? 0;
      found[arm] = (found[arm] ?? 0) + 1;
    }
    return chiSquare(found, [0.25, 0.25, 0.25, 0.25]) > 7.815;
  });
  expect(exceeding.length).toBeGreaterThan(7);
  expect(exceeding.length).toBeLessThan(36);
});

it('raising the part that takes part adds leads to the arms and moves none', () => {
  const leads = LEADS.slice(0, 5000);
  let added = 0;
  for (const lead of leads) {
    const before = armOf(lead, 4, { part: 0.2, arms: [1, 1, 1] });
    const after = armOf(lead, 4, { part: 0.6, arms: [1, 1, 1] });
    if (before !== null) expect(after).toBe(before);
    else if (after !== null) added += 1;
  }
  expect(added).toBeGreaterThan(1800);
  expect(added).toBeLessThan(2200);
});

it('an arm of weight 0 gets no leads, nobody takes part in a part of 0, and shares that mean nothing are refused', () => {
  const found = new Set(LEADS.slice(0, 2000).map((lead) => armOf(lead, 6, { part: 1, arms: [0, 1, 0.1, 0] })));
  expect(found).toEqual(new Set([1, 2]));
  expect(armOf(1, 1, { part: 0, arms: [1, 1] })).toBeNull();
  for (const shares of [
    { part: 1.1, arms: [1, 1] },
    { part: -0.1, arms: [1] },
    { part: 1, arms: [0, 0] },
    { part: 1, arms: [2, -1] },
    { part: Number.NaN, arms: [1, 1] },
    { part: 1, arms: [] },
  ])
    expect(() => armOf(1, 1, shares)).toThrow(RangeError);
});
