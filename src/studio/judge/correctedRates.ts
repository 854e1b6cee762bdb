/** Rates of a judge's answers, corrected for the errors that labelled pairs show. Pure. */
import { uniform } from '../../experiments/arms.ts';
import type { Labelled, Rate } from './agreement.ts';

export interface Correction<Answer extends string> {
  readonly answers: readonly Answer[];
  /** What the judge said of the pairs whose true rates are wanted. */
  readonly judged: readonly Answer[];
  /** Pairs of which both the judge's answer and the true one are known. */
  readonly labelled: readonly Labelled<Answer>[];
  /** The same seed gives the same interval. */
  readonly seed: string;
}

/** Resamples that an interval is made of. */
const RESAMPLES = 500;
const LEVEL = 0.95;
/** The estimate ends when a step moves no rate by more than this, or after so many steps. */
const PRECISION = 1e-5;
const STEPS = 500;

/**
 * Estimate how often each answer is the true one. The labelled pairs say how often the judge gives each answer if the true
 * one is known; the estimate is the set of rates under which what the judge said is most likely. Inside the possible
 * range, that is the estimate of Rogan & Gladen (American Journal of Epidemiology 107, 1978, 71–76) for any number of
 * answers; theirs can leave the range, this one cannot.
 *
 * The interval is the percentile bootstrap over both samples, the labelled pairs and the judged ones: the errors of the
 * judge are estimated too, and with few labels that is most of the uncertainty. Null without judged or labelled pairs.
 */
export function correctedRates<Answer extends string>(correction: Correction<Answer>): Map<Answer, Rate> | null {
  const { answers, judged, labelled, seed } = correction;
  if (judged.length === 0 || labelled.length === 0) return null;
  const estimate = estimateRates(correction);
  const resamples = Array.from({ length: RESAMPLES }, (_, number) =>
    estimateRates({
      answers,
      judged: resample(judged, `${seed}/${number}/judged`),
      labelled: resample(labelled, `${seed}/${number}/labelled`),
    }),
  );
  return new Map(
    answers.map((answer, index) => {
      const rates = resamples.map((rates) => rates[index] ?? 0).toSorted((one, other) => one - other);
      const at = (share: number): number => rates[Math.round(share * (RESAMPLES - 1))] ?? 0;
      return [answer, { rate: estimate[index] ?? 0, low: at((1 - LEVEL) / 2), high: at((1 + LEVEL) / 2) }];
    }),
  );
}

/** Expectation maximization, from equal rates. */
function estimateRates<Answer extends string>(
  sample: Pick<Correction<Answer>, 'answers' | 'judged' | 'labelled'>,
): number[] {
  const { answers, judged, labelled } = sample;
  const observed = answers.map((answer) => judged.filter((one) => one === answer).length / judged.length);
  const errors = errorMatrix(answers, labelled);
  let rates = answers.map(() => 1 / answers.length);
  for (let step = 0; step < STEPS; step += 1) {
    const before = rates;
    rates = nextRates({ rates, observed, errors });
    if (rates.every((rate, index) => Math.abs(rate - (before[index] ?? 0)) < PRECISION)) break;
  }
  return rates;
}

/** Divide what the judge said among the true answers, in proportion to how likely each is to have led to it. */
function nextRates(step: { rates: readonly number[]; observed: readonly number[]; errors: readonly number[][] }) {
  const { rates, observed, errors } = step;
  const expected = observed.map((_, column) =>
    rates.reduce((sum, rate, truth) => sum + rate * cell(errors, truth, column), 0),
  );
  return rates.map((rate, truth) =>
    observed.reduce((sum, share, column) => {
      const total = expected[column] ?? 0;
      return total === 0 ? sum : sum + (share * rate * cell(errors, truth, column)) / total;
    }, 0),
  );
}

/**
 * For each true answer, how often the judge gives each. One right answer and half a wrong one are added, since errors that
 * no label has shown yet are not impossible; without any label of an answer, the judge is taken to be mostly right.
 */
function errorMatrix<Answer extends string>(
  answers: readonly Answer[],
  labelled: readonly Labelled<Answer>[],
): number[][] {
  return answers.map((truth) => {
    const own = labelled.filter(({ label }) => label === truth);
    const counts = answers.map(
      (answer) => own.filter(({ judged }) => judged === answer).length + (answer === truth ? PRIOR_RIGHT : PRIOR_WRONG),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    return counts.map((count) => count / total);
  });
}

const PRIOR_RIGHT = 1;
const PRIOR_WRONG = 0.25;

const cell = (matrix: readonly (readonly number[])[], row: number, column: number): number =>
  matrix[row]?.[column] ?? 0;

/** Draw as many values with replacement; the same seed draws the same. */
const resample = <Value>(values: readonly Value[], seed: string): Value[] =>
  values.map((value, index) => values[Math.floor(uniform(`${seed}/${index}`) * values.length)] ?? value);
