/** How an experiment stands: what its arms have reached, and every analysis that was made. */
import type { Reader } from '../platform/db.ts';
import { readProductPrompt } from '../prompts/prompt.ts';
import type { Experiment, ExperimentArmResult, ExperimentResults } from './experimentContract.ts';
import { countsOf, planOf } from './experimentPlan.ts';
import { decisionSentence } from './experimentSentences.ts';
import { tooEarly } from './experimentStatistics.ts';
import { normalQuantile } from './statistics/normal.ts';
import { wilsonInterval } from './statistics/proportions.ts';
import { type ArmTotals, readAnalyses, readArmTotals, readTargetVersion } from './store/experiments.ts';

const Z = normalQuantile(0.975);

/** Read the results of an experiment. */
export async function readResults(reader: Reader, experiment: Experiment): Promise<ExperimentResults> {
  const { totals, excluded } = await readArmTotals(reader, experiment);
  const history = await readAnalyses(reader, experiment.id);
  const last = history.at(-1);
  const open =
    experiment.state === 'stopped' ? null : stillNeeded(experiment, { totals, analysis: last?.analysis ?? 0 });
  return {
    experiment,
    arms: totals.map((one) => toResult(experiment, one)),
    analysis: last?.analysis ?? 0,
    more: open?.more ?? null,
    until_next: open?.untilNext ?? null,
    sentence: experiment.conclusion ?? last?.sentence ?? open?.sentence ?? '',
    history,
    excluded,
    target: await readTarget(reader, experiment),
  };
}

function toResult(experiment: Experiment, totals: ArmTotals): ExperimentArmResult {
  const { arm, assigned, finished, successes, opt_outs, refusals, cost } = totals;
  const { lower, upper } = wilsonInterval({ n: finished, successes }, Z);
  const state = experiment.arm_states[arm];
  const filter = { product_id: experiment.product_id, experiment_id: [experiment.id], arm: [arm] };
  return {
    arm,
    name: experiment.arms[arm]?.name ?? '',
    assigned,
    finished,
    successes,
    rate: finished === 0 ? null : successes / finished,
    interval: { low: lower, high: upper },
    opt_outs,
    refusals,
    cost,
    cost_per_attempt: assigned === 0 ? null : cost / assigned,
    stopped_at: state?.stopped_at ?? null,
    stopped_reason: state?.stopped_reason ?? null,
    filters: {
      assigned: filter,
      finished: { ...filter, experiment_result: ['finished'] },
      successes: { ...filter, experiment_result: ['succeeded'] },
      opt_outs: { ...filter, reached: ['opted_out'] },
      refusals: { ...filter, reached: ['refused'] },
    },
  };
}

/** Return how many attempts are still needed after the last analysis. */
function stillNeeded(experiment: Experiment, { totals, analysis }: { totals: readonly ArmTotals[]; analysis: number }) {
  const at = {
    plan: planOf(experiment),
    analysis,
    arms: countsOf(experiment, totals, 'finished'),
    shares: experiment.arms.map(({ weight }) => weight),
  };
  const decision = tooEarly(at, []);
  const names = experiment.arms.map(({ name }) => name);
  return { more: decision.more, untilNext: decision.untilNext, sentence: decisionSentence(decision, names) };
}

/** Read what `apply` changes, with its version. */
async function readTarget(
  reader: Reader,
  { kind, product_id: productId }: Experiment,
): Promise<ExperimentResults['target']> {
  const noun = kind === 'prompt' ? 'prompt' : 'product';
  const id = noun === 'product' ? productId : (await readProductPrompt(reader, productId, 'prompt'))?.id;
  const version = id === undefined ? null : await readTargetVersion(reader, { noun, id });
  return id === undefined || version === null ? null : { noun, id, version };
}
