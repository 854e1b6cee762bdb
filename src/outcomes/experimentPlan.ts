/** The plan of an experiment, from its settings. */
import type { Experiment } from './experimentContract.ts';
import { type ArmCount, type ExperimentPlan, planExperiment } from './experimentStatistics.ts';
import type { ArmTotals } from './store/experiments.ts';

const ALPHA = 0.05;

/** Return the columns of a draft that follow from its settings. */
export function plannedColumns({
  base_rate: baseRate,
  difference,
  arms,
}: Pick<Experiment, 'base_rate' | 'difference' | 'arms'>): Pick<Experiment, 'analyses' | 'per_arm'> {
  const { analyses, perArm } = planExperiment({ baseRate, difference, arms: arms.length, alpha: ALPHA });
  return { analyses, per_arm: perArm };
}

/** Return the plan that an experiment was started with. */
export function planOf({
  arms,
  difference,
  analyses,
  per_arm: perArm,
}: Pick<Experiment, 'arms' | 'difference' | 'analyses' | 'per_arm'>): ExperimentPlan {
  return { arms: arms.length, difference, alpha: ALPHA, analyses, perArm };
}

/** Return the counts that decide, of the attempts whose days are over; or, for guards, of all that were assigned. */
export function countsOf(
  { arm_states: states }: Pick<Experiment, 'arm_states'>,
  totals: readonly ArmTotals[],
  of: 'finished' | 'assigned',
): ArmCount[] {
  return totals.map(({ arm, [of]: n, successes }) => ({
    n,
    successes: of === 'finished' ? successes : 0,
    stopped: states[arm]?.stopped_at != null,
  }));
}
