/**
 * Looks at a running experiment: stops variants that cross a guard, and decides at the planned analyses. Each look and
 * each analysis is made once, however many instances look; nothing is decided between them.
 */
import { excludeUnited } from '../experiments/assign.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import type { Experiment, ExperimentEnd, ExperimentGuards } from './experimentContract.ts';
import { crossedGuard, type GuardCheck, type GuardCrossing } from './experimentGuards.ts';
import { countsOf, planOf } from './experimentPlan.ts';
import { decisionSentence, guardSentence } from './experimentSentences.ts';
import { decide, reachedAnalysis } from './experimentStatistics.ts';
import {
  type ArmTotals,
  claimCheck,
  insertAnalysis,
  lockExperimentRow,
  readAnalyses,
  readArmTotals,
  setGuardLook,
  setStopped,
  stopArms,
} from './store/experiments.ts';

/** Seconds of the domain clock between two looks at a running experiment. */
const CHECK_SECONDS = 600;

/** Look at the running experiment that is due first. Returns whether there was one. */
export async function checkNextExperiment(tx: Tx): Promise<boolean> {
  const claimed = await claimCheck(tx, CHECK_SECONDS);
  if (!claimed) return false;
  const { id } = claimed;
  await excludeUnited(tx, id);
  const before = await lockExperimentRow(tx, id);
  if (!before) return true;
  const { totals } = await readArmTotals(tx, before);
  await checkGuards(tx, { experiment: before, totals, look: claimed.guard_look });
  const after = await lockExperimentRow(tx, id);
  if (after?.state === 'running') await analyse(tx, after, totals);
  return true;
}

interface Look {
  readonly experiment: Experiment;
  readonly totals: readonly ArmTotals[];
  /** The last look that was made. */
  readonly look: number;
}

/** Check the guards at their planned looks. They count attempts from their first message on: harm does not wait. */
async function checkGuards(tx: Tx, { experiment, totals, look }: Look): Promise<void> {
  const reached = reachedAnalysis(planOf(experiment), countsOf(experiment, totals, 'assigned'));
  if (reached <= look) return;
  await setGuardLook(tx, experiment.id, reached);
  const [control] = totals;
  const stopped = control
    ? totals.slice(1).flatMap((variant) => {
        const { arm } = variant;
        if (experiment.arm_states[arm]?.stopped_at != null) return [];
        const crossing = crossingOf(experiment, variant, control);
        return crossing ? [{ arm, reason: guardSentence(crossing, experiment.arms[arm]?.name ?? '') }] : [];
      })
    : [];
  await stopVariants(tx, experiment, { stopped, end: 'guard' });
}

function crossingOf({ guards, analyses }: Experiment, variant: ArmTotals, control: ArmTotals): GuardCrossing | null {
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

/** Stop variants, and the experiment with the last of them. */
async function stopVariants(
  tx: Tx,
  experiment: Experiment,
  {
    stopped,
    end,
  }: { readonly stopped: readonly { readonly arm: number; readonly reason: string }[]; readonly end: ExperimentEnd },
): Promise<void> {
  if (stopped.length === 0) return;
  await stopArms(tx, experiment.id, stopped);
  notify(tx, { topic: 'experiment', product: experiment.product_id, ids: [experiment.id] });
  const isStopped = (arm: number) =>
    experiment.arm_states[arm]?.stopped_at != null || stopped.some((one) => one.arm === arm);
  await record(tx, experiment, { action: 'variants stopped', after: { arms: stopped } });
  if (experiment.arms.some((_arm, arm) => arm > 0 && !isStopped(arm))) return;
  await stopItself(tx, experiment, { end, conclusion: stopped.map(({ reason }) => reason).join('; ') });
}

/** Decide if another of the planned analyses has been reached. */
async function analyse(tx: Tx, experiment: Experiment, totals: readonly ArmTotals[]): Promise<void> {
  const plan = planOf(experiment);
  const counts = countsOf(experiment, totals, 'finished');
  const analysis = reachedAnalysis(plan, counts);
  const last = (await readAnalyses(tx, experiment.id)).at(-1)?.analysis ?? 0;
  if (analysis <= last) return;
  const names = experiment.arms.map(({ name }) => name);
  const shares = experiment.arms.map(({ weight }) => weight);
  const decision = decide({ plan, analysis, arms: counts, shares });
  const sentence = decisionSentence(decision, names);
  await insertAnalysis(tx, experiment, { analysis, arms: counts, decision, sentence });
  notify(tx, { topic: 'experiment', product: experiment.product_id, ids: [experiment.id] });
  if (decision.kind !== 'too_early') return stopItself(tx, experiment, { end: 'decided', conclusion: sentence });
  const worse = decision.worse.map((arm) => ({ arm, reason: `${names[arm]} is worse than ${names[0]}` }));
  return stopVariants(tx, experiment, { stopped: worse, end: 'decided' });
}

async function stopItself(
  tx: Tx,
  experiment: Experiment,
  { end, conclusion }: { readonly end: ExperimentEnd; readonly conclusion: string },
): Promise<void> {
  const { id } = experiment;
  await setStopped(tx, { id, by: null, end, conclusion });
  await record(tx, experiment, { action: 'stopped', after: { state: 'stopped', end, conclusion } });
}

function record(
  tx: Tx,
  { id, product_id: productId }: Experiment,
  entry: { readonly action: string; readonly after: unknown },
): Promise<void> {
  return recordAuditEntry(tx, { caller: null, noun: 'experiment', rowId: id, productId, ...entry });
}
