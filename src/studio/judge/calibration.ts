/** The calibration of a judge: how far its judgements agree with the labels of the team. */
import type { Reader } from '../../platform/db.ts';
import type { ChosenModel } from '../../products/product.ts';
import { CALIBRATION_LABELS, type Calibration } from '../judgeContract.ts';
import { type JudgedPair, readJudgedPairs } from '../store/pairs.ts';
import { agreementOf, cohensKappa, positionBiasOf } from './agreement.ts';
import { JUDGE_PROMPT } from './question.ts';

type JudgeModel = Pick<ChosenModel, 'vendor' | 'model'>;

/**
 * From which kappa on a judge is trusted: "moderate" agreement in the scale of Landis & Koch (Biometrics 33, 1977,
 * 159–174). Below it, a judge may agree with the team because both mostly say the same.
 */
const LEAST_KAPPA = 0.4;

/** The name under which judgements are stored: model and version of the question. */
export const judgeName = ({ vendor, model }: JudgeModel): string => `${vendor}/${model} v${JUDGE_PROMPT.version}`;

/** Compute a calibration. Pure. */
export function calibrationOf(judge: JudgeModel, pairs: readonly JudgedPair[]): Calibration {
  const labelled = pairs.flatMap(({ judged, label }) => (label === null ? [] : [{ judged, label }]));
  const kappa = cohensKappa(labelled);
  const bias = positionBiasOf(pairs.map((pair) => ({ order: pair.judged_order, reverse: pair.judged_reverse })));
  return {
    judge: { vendor: judge.vendor, model: judge.model },
    labels: labelled.length,
    needed: CALIBRATION_LABELS,
    is_calibrated: labelled.length >= CALIBRATION_LABELS && kappa !== null && kappa >= LEAST_KAPPA,
    agreement: agreementOf(labelled),
    kappa,
    first_preferred: bias && { rate: bias.rate, low: bias.low, high: bias.high },
    has_position_bias: bias?.isBeyondChance ?? false,
  };
}

/** Read the calibration of a product's judge. */
export async function readJudgeCalibration(
  reader: Reader,
  { productId, judge }: { productId: number; judge: JudgeModel },
): Promise<Calibration> {
  return calibrationOf(judge, await readJudgedPairs(reader, { productId, judge: judgeName(judge) }));
}
