/**
 * Decides at a look at a running experiment: which variants its guards stop, and what it finds at a planned analysis. Pure.
 */
import type { Experiment, ExperimentGuards } from './experimentContract.ts';
import { crossedGuard, type GuardCheck, type GuardCrossing } from './experimentGuards.ts';
import { countsOf, planOf } from './experimentPlan.ts';
import { decisionSentence, guardSentence } from './experimentSentences.ts';
import { type ArmCount, type Decision, decide, reachedAnalysis } from './experimentStatistics.ts';
import type { ArmTotals } from './store/experiments.ts';

/** What decides about an experiment of its row. */
export type DecidedExperiment = Pick<
  Experiment,
  'arms' | 'arm_states' | 'guards' | 'difference' | 'analyses' | 'per_arm'
>;

interface StoppedVariant {
  readonly arm: number;
  /** Why, as a sentence. */
  readonly reason: string;
}

/**
 * Check the guards if another of their planned looks has been reached since `last`; null if not. They count attempts from
 * their first message on: harm does not wait.
 */
export function checkGuards(
  experiment: DecidedExperiment,
  totals: readonly ArmTotals[],
  last: number,
): { readonly look: number; readonly stopped: readonly StoppedVariant[] } | null {
  const look = reachedAnalysis(planOf(experiment), countsOf(experiment, totals, 'assigned'));
  if (look <= last) return null;
  const [control] = totals;
  const stopped = control
    ? totals.slice(1).flatMap((variant) => {
        const { arm } = variant;
        if (experiment.arm_states[arm]?.stopped_at != null) return [];
        const crossing = crossingOf(experiment, variant, control);
        return crossing ? [{ arm, reason: guardSentence(crossing, experiment.arms[arm]?.name ?? '') }] : [];
      })
    : [];
  return { look, stopped };
}

function crossingOf(
  { guards, analyses }: DecidedExperiment,
  variant: ArmTotals,
  control: ArmTotals,
): GuardCrossing | null {
  for (const metric of ['opt_outs', 'refusals', 'cost'] as const satisfies readonly (keyof ExperimentGuards)[]) {
    const limit = guards[metric];
    if (limit === null) continue;
    const check: GuardCheck =
      metric === 'cost'
        ? { metric, limit, variant: costsOf(variant), control: costsOf(control) }
        : { metric, limit, variant: rateOf(variant, metric), control: rateOf(control, metric) };
    const crossing = crossedGuard(check, { analyses });
    if (crossing) return crossing;
  }
  return null;
}

const rateOf = (totals: ArmTotals, metric: 'opt_outs' | 'refusals') => ({
  n: totals.assigned,
  successes: totals[metric],
});
const costsOf = ({ assigned: n, cost: sum, cost_squares: sumOfSquares }: ArmTotals) => ({ n, sum, sumOfSquares });

/** The record of an analysis. */
interface Analysis {
  readonly analysis: number;
  readonly arms: readonly ArmCount[];
  readonly decision: Decision;
  readonly sentence: string;
}

/** Make the analysis that has been reached since the `last` one; null if there is none. */
export function analyse(experiment: DecidedExperiment, totals: readonly ArmTotals[], last: number): Analysis | null {
  const plan = planOf(experiment);
  const arms = countsOf(experiment, totals, 'finished');
  const analysis = reachedAnalysis(plan, arms);
  if (analysis <= last) return null;
  const names = experiment.arms.map(({ name }) => name);
  const shares = experiment.arms.map(({ weight }) => weight);
  const decision = decide({ plan, analysis, arms, shares });
  return { analysis, arms, decision, sentence: decisionSentence(decision, names) };
}
