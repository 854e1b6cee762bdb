/** Guard metrics of an experiment: how much more of what nobody wants a variant may cause. Browser-safe. */
import { criticalValues } from './statistics/groupSequential.ts';
import { type Count, differenceInterval, rateOf } from './statistics/proportions.ts';

/** Cost of the models of an arm's attempts, in US dollars. */
export interface CostTotals {
  n: number;
  sum: number;
  /** Sum of the squares of the attempts' costs. */
  sumOfSquares: number;
}

/** A metric, its limit, and what a variant and the control have reached at an analysis. Every attempt counts at once. */
export type GuardCheck =
  | {
      metric: 'opt_outs' | 'refusals' | 'complaints';
      /** By how much the variant's rate may exceed the control's: 0.02 for two points. */
      limit: number;
      variant: Count;
      control: Count;
    }
  | {
      metric: 'cost';
      /** How many dollars an attempt of the variant may cost more than one of the control, on average. */
      limit: number;
      variant: CostTotals;
      control: CostTotals;
    };

/** Why a variant must be stopped. Rates are from 0 to 1, costs in dollars for an attempt. */
export interface GuardCrossing {
  metric: GuardCheck['metric'];
  value: number;
  controlValue: number;
  /** Lower end of the one-sided interval of the excess: `value` − `controlValue` is at least this. */
  excess: number;
  limit: number;
}

/** The alpha of a guard, one-sided, for each metric of each variant. */
const GUARD_ALPHA = 0.05;
/** A mean cost of fewer attempts is too far from normal: few dialogues are long, and they cost most. */
const FEWEST_COSTS = 30;

/**
 * Check a guard metric at an analysis. Returns null unless the one-sided 95 % interval of the variant's excess over the
 * control lies above the limit.
 *
 * Harm should stop a variant as easily at the first analysis as at the last, so the critical value is Pocock's: 2.122 at
 * each of five analyses. A variant whose excess is exactly the limit is stopped with a probability of 5 % over all
 * analyses together. (Two-sided boundaries of 10 % serve as one-sided ones of 5 %; the difference, from paths that cross
 * both, is below 0.00001.) Rates have Newcombe's interval; means have Welch's standard error.
 */
export function crossedGuard(check: GuardCheck, { analyses }: { analyses: number }): GuardCrossing | null {
  const z = criticalValues({ shape: 'pocock', analyses, alpha: 2 * GUARD_ALPHA })[0] ?? Number.POSITIVE_INFINITY;
  const { metric, limit } = check;
  const { value, controlValue, excess } = metric === 'cost' ? excessCost(check, z) : excessRate(check, z);
  return excess > limit ? { metric, value, controlValue, excess, limit } : null;
}

type Excess = Pick<GuardCrossing, 'value' | 'controlValue' | 'excess'>;

function excessRate({ variant, control }: { variant: Count; control: Count }, z: number): Excess {
  return {
    value: rateOf(variant),
    controlValue: rateOf(control),
    excess: differenceInterval(variant, control, z).lower,
  };
}

function excessCost({ variant, control }: { variant: CostTotals; control: CostTotals }, z: number): Excess {
  const [value, controlValue] = [meanOf(variant), meanOf(control)];
  if (Math.min(variant.n, control.n) < FEWEST_COSTS) return { value, controlValue, excess: Number.NEGATIVE_INFINITY };
  const error = Math.sqrt(varianceOf(variant) / variant.n + varianceOf(control) / control.n);
  return { value, controlValue, excess: value - controlValue - z * error };
}

function meanOf({ n, sum }: CostTotals): number {
  return n === 0 ? 0 : sum / n;
}

function varianceOf({ n, sum, sumOfSquares }: CostTotals): number {
  // Rounding can leave a variance of −1e-17 when all costs are equal.
  return Math.max(0, (sumOfSquares - (sum * sum) / n) / (n - 1));
}
