/** The calibration of a judge: how far its judgements agree with the labels of the team. */
import type { Reader } from '../../platform/db.ts';
import type { ChosenModel } from '../../products/product.ts';
import { CALIBRATION_LABELS, type Calibration, type Preference } from '../judgeContract.ts';
import { type JudgedPair, readJudgedPairs } from '../store/pairs.ts';
import { agreementOf, cohensKappa, positionBiasOf } from './agreement.ts';
import { correctedRates } from './correctedRates.ts';
import { JUDGE_PROMPT } from './question.ts';

type JudgeModel = Pick<ChosenModel, 'vendor' | 'model'>;

/**
 * From which kappa on a judge is trusted: "moderate" agreement in the scale of Landis & Koch (Biometrics 33, 1977,
 * 159–174). Below it, a judge may agree with the team because both mostly say the same.
 */
const LEAST_KAPPA = 0.4;

/** The name under which judgements are stored: model and version of the question. */
export const judgeName = ({ vendor, model }: JudgeModel): string => `${vendor}/${model} v${JUDGE_PROMPT.version}`;

/** Compute a calibration, and the corrected rates of a run's pairs. Pure. */
export function calibrationOf(judge: JudgeModel, pairs: readonly JudgedPair[], runId: number | null): Calibration {
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
    corrected: runId === null ? null : correctedRatesOf(pairs, runId),
  };
}

const ANSWERS = ['better', 'worse', 'tie'] as const;

/**
 * Errors are counted by what candidate and live are, not by their places: a judge that likes long answers is wrong in one
 * direction if the candidate writes longer ones.
 */
function correctedRatesOf(pairs: readonly JudgedPair[], runId: number): Calibration['corrected'] {
  const forCandidate = (preference: Preference, { is_candidate_first: isFirst }: JudgedPair) =>
    preference === 'tie' ? preference : (preference === 'first') === isFirst ? 'better' : 'worse';
  const rates = correctedRates({
    answers: ANSWERS,
    judged: pairs.filter(({ run_id }) => run_id === runId).map((pair) => forCandidate(pair.judged, pair)),
    labelled: pairs.flatMap((pair) =>
      pair.label === null ? [] : [{ judged: forCandidate(pair.judged, pair), label: forCandidate(pair.label, pair) }],
    ),
    seed: `run ${runId}`,
  });
  const [better, worse, tie] = ANSWERS.map((answer) => rates?.get(answer));
  return better && worse && tie ? { better, worse, tie } : null;
}

/** Read the calibration of a product's judge. */
export async function readJudgeCalibration(
  reader: Reader,
  asked: { readonly productId: number; readonly judge: JudgeModel; readonly runId?: number | null },
): Promise<Calibration> {
  const { productId, judge, runId = null } = asked;
  return calibrationOf(judge, await readJudgedPairs(reader, { productId, judge: judgeName(judge) }), runId);
}
