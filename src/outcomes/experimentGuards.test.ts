import { expect, it } from 'vitest';
import { createRandom } from '../sandbox/random.ts';
import { type CostTotals, crossedGuard } from './experimentGuards.ts';
import { guardSentence } from './experimentSentences.ts';

const FIVE = { analyses: 5 };
const count = (successes: number, n: number) => ({ n, successes });

function totals(costs: readonly number[]): CostTotals {
  return {
    n: costs.length,
    sum: costs.reduce((sum, cost) => sum + cost, 0),
    sumOfSquares: costs.reduce((sum, cost) => sum + cost * cost, 0),
  };
}

it('a variant whose opt-outs surely exceed the control’s by more than the limit is stopped, with the reason', () => {
  const crossing = crossedGuard(
    { metric: 'opt_outs', limit: 0.02, variant: count(27, 180), control: count(4, 180) },
    FIVE,
  );
  expect(crossing).toMatchObject({ metric: 'opt_outs', value: 0.15, limit: 0.02 });
  expect(crossing?.excess).toBeGreaterThan(0.02);
  expect(crossing && guardSentence(crossing, 'B')).toMatchInlineSnapshot(
    `"B was stopped: opt-outs 15 % against 2 %, at least 6.6 points more (the limit is 2)"`,
  );
});

it('a higher rate alone stops nothing while its interval reaches down to the limit', () => {
  const variant = count(10, 120);
  expect(crossedGuard({ metric: 'refusals', limit: 0.02, variant, control: count(4, 120) }, FIVE)).toBeNull();
  expect(crossedGuard({ metric: 'complaints', limit: 0, variant: count(0, 0), control: count(0, 0) }, FIVE)).toBeNull();
  // A limit of 0 points: any proven excess.
  expect(
    crossedGuard({ metric: 'refusals', limit: 0, variant: count(24, 120), control: count(4, 120) }, FIVE),
  ).not.toBeNull();
});

it('a variant that costs more than the limit is stopped, but not on a few attempts or one expensive dialogue', () => {
  const control = totals(Array.from({ length: 60 }, (_, index) => 0.01 + (index % 5) * 0.001));
  const dear = (n: number) => totals(Array.from({ length: n }, (_, index) => 0.03 + (index % 5) * 0.001));
  const crossing = crossedGuard({ metric: 'cost', limit: 0.01, variant: dear(60), control }, FIVE);
  expect(crossing?.value).toBeCloseTo(0.032, 12);
  expect(crossing && guardSentence(crossing, 'B')).toMatchInlineSnapshot(
    `"B was stopped: cost $0.032 against $0.012 an attempt, at least $0.0194 more (the limit is $0.01)"`,
  );
  expect(crossedGuard({ metric: 'cost', limit: 0.01, variant: dear(29), control }, FIVE)).toBeNull();
  const outlier = totals([3, ...Array.from({ length: 59 }, () => 0.012)]);
  expect(crossedGuard({ metric: 'cost', limit: 0.01, variant: outlier, control }, FIVE)).toBeNull();
});

it('a variant exactly at the limit is stopped in at most 6 % of 4,000 experiments, one without harm in hardly any', () => {
  const random = createRandom(11);
  const stopped = (rate: number): number => {
    let crossings = 0;
    for (let experiment = 0; experiment < 4000; experiment += 1) {
      let [variant, control] = [0, 0];
      for (let analysis = 1; analysis <= 5; analysis += 1) {
        for (let lead = 0; lead < 60; lead += 1) {
          if (random.chance(rate)) variant += 1;
          if (random.chance(0.05)) control += 1;
        }
        const n = analysis * 60;
        if (
          crossedGuard(
            { metric: 'opt_outs', limit: 0.03, variant: count(variant, n), control: count(control, n) },
            FIVE,
          )
        ) {
          crossings += 1;
          break;
        }
      }
    }
    return crossings / 4000;
  };
  expect(stopped(0.08)).toBeLessThanOrEqual(0.06);
  expect(stopped(0.05)).toBeLessThan(0.005);
  expect(stopped(0.2)).toBeGreaterThan(0.95);
});
