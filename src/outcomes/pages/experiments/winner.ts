/** The arm that an experiment has found to be better. */
import type { ExperimentResults } from '../../experimentContract.ts';
import { decide, planExperiment } from '../../experimentStatistics.ts';

/** Return the arm that won at the last analysis; null without a winner. */
export function winnerOf({ experiment, history }: ExperimentResults): number | null {
  const last = history.at(-1);
  if (last?.decision !== 'better') return null;
  const { arms, analyses, base_rate: baseRate, difference, per_arm: perArm } = experiment;
  const plan = { ...planExperiment({ baseRate, difference, arms: arms.length, analyses }), perArm };
  const counts = last.arms.map((count, arm) => {
    const stoppedAt = experiment.arm_states[arm]?.stopped_at ?? null;
    // What the analysis itself stopped took part in it.
    return { ...count, stopped: stoppedAt !== null && stoppedAt < last.at };
  });
  const decision = decide({ plan, analysis: last.analysis, arms: counts });
  return decision.kind === 'better' ? decision.arm : null;
}
