/** The kinds of runs. */
import { refuse } from '../platform/refuse.ts';
import { createGateKind } from './gate/gateKind.ts';
import { readJudgeCalibration } from './judge/calibration.ts';
import { classificationKind } from './replay/classificationKind.ts';
import { replayKind } from './replay/replayKind.ts';
import { checkRubric } from './rubric.ts';
import type { RunKindPlan } from './run.ts';
import { type RunKind, studioRefusals } from './runContract.ts';

/** Until the judge is calibrated, what it says about a rubric is advice. */
const gate = createGateKind({
  async isCalibrated(reader, { product, settings: { judge } }) {
    return (await readJudgeCalibration(reader, { productId: product.id, judge })).is_calibrated;
  },
  checkRubric,
});

const KINDS: readonly RunKindPlan[] = [gate, replayKind, classificationKind];

/** Return what a kind of run does. Throws `studio.wrong_kind` for a type of prompt that it cannot try. */
export function kindFor(kind: RunKind, type: string): RunKindPlan {
  const found = KINDS.find((one) => one.kind === kind);
  if (!found?.promptTypes.some((one) => one === type))
    throw refuse(studioRefusals, 'studio.wrong_kind', { kind, type });
  return found;
}

/** Return what the kind of a stored run does. */
export function kindOf(kind: RunKind): RunKindPlan {
  const found = KINDS.find((one) => one.kind === kind);
  if (!found) throw new Error(`There is no kind of run ${kind}`);
  return found;
}
