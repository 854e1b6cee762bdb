/**
 * Looks at a running experiment: stops variants that cross a guard, and decides at the planned analyses. Each look and
 * each analysis is made once, however many instances look; nothing is decided between them.
 */
import { excludeUnited } from '../experiments/assign.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { analyse, checkGuards } from './decideExperiment.ts';
import { endExperiment } from './endExperiment.ts';
import type { Experiment, ExperimentEnd } from './experimentContract.ts';
import {
  type ArmTotals,
  claimCheck,
  insertAnalysis,
  lockExperimentRow,
  readAnalyses,
  readArmTotals,
  setGuardLook,
  stopArms,
} from './store/experiments.ts';

/** Seconds of the domain clock between two looks at a running experiment. */
const CHECK_SECONDS = 600;

/** Look at the running experiment that is due first. Returns whether there was one. */
export async function checkNextExperiment(tx: Tx, { publicUrl }: { readonly publicUrl: string }): Promise<boolean> {
  const claimed = await claimCheck(tx, CHECK_SECONDS);
  if (!claimed) return false;
  const { id } = claimed;
  await excludeUnited(tx, id);
  const before = await lockExperimentRow(tx, id);
  if (!before) return true;
  const { totals } = await readArmTotals(tx, before);
  const guards = checkGuards(before, totals, claimed.guard_look);
  if (guards) {
    await setGuardLook(tx, id, guards.look);
    await stopVariants(tx, before, { stopped: guards.stopped, end: 'guard', publicUrl });
  }
  const after = await lockExperimentRow(tx, id);
  if (after?.state === 'running') await analyseReached(tx, after, { totals, publicUrl });
  return true;
}

interface StoppedVariants {
  readonly stopped: readonly { readonly arm: number; readonly reason: string }[];
  readonly end: ExperimentEnd;
  readonly publicUrl: string;
}

/** Stop variants, and the experiment with the last of them. */
async function stopVariants(
  tx: Tx,
  experiment: Experiment,
  { stopped, end, publicUrl }: StoppedVariants,
): Promise<void> {
  if (stopped.length === 0) return;
  await stopArms(tx, experiment.id, stopped);
  notify(tx, { topic: 'experiment', product: experiment.product_id, ids: [experiment.id] });
  const isStopped = (arm: number) =>
    experiment.arm_states[arm]?.stopped_at != null || stopped.some((one) => one.arm === arm);
  await record(tx, experiment, { action: 'variants stopped', after: { arms: stopped } });
  if (experiment.arms.some((_arm, arm) => arm > 0 && !isStopped(arm))) return;
  await stopItself(tx, experiment, { end, conclusion: stopped.map(({ reason }) => reason).join('; '), publicUrl });
}

/** Decide if another of the planned analyses has been reached. */
async function analyseReached(
  tx: Tx,
  experiment: Experiment,
  { totals, publicUrl }: { readonly totals: readonly ArmTotals[]; readonly publicUrl: string },
): Promise<void> {
  const last = (await readAnalyses(tx, experiment.id)).at(-1)?.analysis ?? 0;
  const reached = analyse(experiment, totals, last);
  if (reached === null) return;
  await insertAnalysis(tx, experiment, reached);
  notify(tx, { topic: 'experiment', product: experiment.product_id, ids: [experiment.id] });
  const { decision, sentence } = reached;
  const names = experiment.arms.map(({ name }) => name);
  if (decision.kind !== 'too_early')
    return stopItself(tx, experiment, { end: 'decided', conclusion: sentence, publicUrl });
  const worse = decision.worse.map((arm) => ({ arm, reason: `${names[arm]} is worse than ${names[0]}` }));
  return stopVariants(tx, experiment, { stopped: worse, end: 'decided', publicUrl });
}

async function stopItself(
  tx: Tx,
  experiment: Experiment,
  {
    end,
    conclusion,
    publicUrl,
  }: { readonly end: ExperimentEnd; readonly conclusion: string; readonly publicUrl: string },
): Promise<void> {
  await endExperiment(tx, experiment, { end, conclusion, by: null, publicUrl });
  await record(tx, experiment, { action: 'stopped', after: { state: 'stopped', end, conclusion } });
}

function record(
  tx: Tx,
  { id, product_id: productId }: Experiment,
  entry: { readonly action: string; readonly after: unknown },
): Promise<void> {
  return recordAuditEntry(tx, { caller: null, noun: 'experiment', rowId: id, productId, ...entry });
}
