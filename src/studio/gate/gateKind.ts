/** The gate: a candidate and what is live answer the same cases, and the candidate must not be worse. */
import { z } from 'zod';
import { wilsonInterval } from '../../outcomes/statistics/proportions.ts';
import type { AppContext } from '../../platform/appContext.ts';
import type { Reader } from '../../platform/db.ts';
import { refuse } from '../../platform/refuse.ts';
import { answerSample, classifySample } from '../answerSample.ts';
import { bans, caseFacts, caseSources, requirement, type StudioCase } from '../caseContract.ts';
import { checkAnswer, UNDECIDED } from '../checks/inThread.ts';
import { wordsOf } from '../judge/question.ts';
import type {
  Concluding,
  Conclusion,
  FinishedSample,
  FinishedSubject,
  Json,
  Performed,
  PlannedSample,
  PlannedSubject,
  RunArm,
  RunFacts,
  RunKindPlan,
  StoredResult,
  Violation,
  Work,
} from '../run.ts';
import { type RunVerdict, studioRefusals } from '../runContract.ts';
import { readCasesOfPrompt } from '../store/cases.ts';
import { type CaseDecision, type CaseEvidence, CONFIRMATION_PAIRS, decideGate, type Evidence } from './decideGate.ts';

/** What a judge does for a gate. Injected in `kinds.ts`. */
export interface GateJudge {
  /** Whether the judge's opinion counts: it agrees with the team's labels. */
  isCalibrated(reader: Reader, run: Pick<RunFacts, 'product' | 'settings'>): Promise<boolean>;
  /** Say whether an answer meets a rubric; a violation if not. */
  checkRubric(
    context: AppContext,
    work: Work,
    asked: { readonly rubric: string; readonly case: CaseInput; readonly answer: string },
  ): Promise<
    { readonly kind: 'judged'; readonly violation: Violation | null } | Extract<Performed, { kind: 'failed' }>
  >;
}

/** The kind of violations that a judge finds. */
export const RUBRIC = 'rubric';

const caseInput = z.object({
  revision: z.number(),
  /** How the case was made; runs before this was kept have none. */
  source: z.enum(caseSources).optional(),
  facts: caseFacts,
  history: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string(), kind: z.string() })),
  requirements: z.array(requirement),
  rubric: z.string().nullable(),
  /** Whether a judge is asked, and whether its opinion counts. */
  asks_judge: z.boolean(),
  counts_judge: z.boolean(),
});
export type CaseInput = z.output<typeof caseInput>;

/** Characters of a usual answer, and of our own rules, facts and tools around a prompt. */
const ANSWER_LENGTH = 400;
const FRAME_LENGTH = 1500;

export function createGateKind(gateJudge: GateJudge): RunKindPlan {
  return {
    kind: 'gate',
    promptTypes: ['prompt', 'classification'],
    plan: ({ reader }, run) => planGate(reader, run, gateJudge),
    perform: (context, work) => performGate(context, work, gateJudge),
    conclude: concludeGate,
    isRed: (arm, violations) => arm === 'candidate' && violations.some(isBan),
    toVerdict,
  };
}

async function planGate(reader: Reader, run: RunFacts, gateJudge: GateJudge): Promise<PlannedSubject[]> {
  const { id, type } = run.prompt;
  const { case_ids: ids } = run.settings;
  const cases = await readCasesOfPrompt(reader, { productId: run.product.id, id, type }, ids);
  if (ids !== null && cases.length < new Set(ids).size)
    throw refuse(studioRefusals, 'studio.other_product', { noun: 'case' });
  if (cases.length === 0) throw refuse(studioRefusals, 'studio.no_cases');
  const isCalibrated = cases.some(({ rubric }) => rubric !== null) && (await gateJudge.isCalibrated(reader, run));
  return cases.map((one) => {
    const asksJudge = one.rubric !== null && (isCalibrated || run.withJudge);
    return planCase(run, one, { asks_judge: asksJudge, counts_judge: one.rubric !== null && isCalibrated });
  });
}

function planCase(
  run: RunFacts,
  one: StudioCase,
  judging: Pick<CaseInput, 'asks_judge' | 'counts_judge'>,
): PlannedSubject {
  const { facts, history, requirements, rubric } = one;
  const input: CaseInput = {
    revision: one.version,
    source: one.source,
    facts,
    history,
    requirements,
    rubric,
    ...judging,
  };
  return {
    key: `case ${one.id}`,
    subject: {
      kind: 'case',
      name: one.name,
      case_id: one.id,
      dialogue_id: one.dialogue_id,
      lead_id: one.lead_id,
      message_id: one.message_id,
      persona_id: null,
    },
    history: history.map(({ side, text }) => ({ side, text })),
    real: one.answer,
    input: z.json().parse(input),
    samples: samplesOf(run, input, { from: 0, count: run.repeats }),
  };
}

/** Return samples of both arms for some repeats. Without a live text there is nothing to compare with. */
function samplesOf(
  run: RunFacts,
  { history, asks_judge: asksJudge }: Pick<CaseInput, 'history' | 'asks_judge'>,
  { from, count }: { from: number; count: number },
): PlannedSample[] {
  const arms: readonly RunArm[] = run.liveText === null ? ['candidate'] : ['candidate', 'live'];
  const length = history.reduce((sum, { text }) => sum + text.length, FRAME_LENGTH);
  return Array.from({ length: count }, (_one, index) =>
    arms.map((arm): PlannedSample => {
      const text = arm === 'candidate' ? run.text : (run.liveText ?? '');
      const call = { sent: text.length + length, received: ANSWER_LENGTH };
      return { arm, repeat: from + index, calls: asksJudge ? 2 : 1, call };
    }),
  ).flat();
}

async function performGate(context: AppContext, work: Work, gateJudge: GateJudge): Promise<Performed> {
  const input = caseInput.parse(work.subject.input);
  const { facts, history, requirements, rubric } = input;
  const asked = { text: work.text ?? '', facts, history };
  const isClassification = work.run.prompt.type === 'classification';
  const answer = await (isClassification ? classifySample(context, work, asked) : answerSample(context, work, asked));
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'no_answer') {
    const { violation } = answer;
    return { kind: 'done', output: null, error: violation.detail, violations: [violation] };
  }
  const { output, unusable, system } = answer;
  const { company_id: companyId } = work.run.product;
  const checked = await checkAnswer(
    { threads: context.threads, companyId },
    { requirements, input: { output, case: { history, facts }, promptText: system } },
  );
  const violations = [
    ...(unusable === null ? [] : [{ kind: 'unusable', detail: `It would not be sent. ${unusable}.` }]),
    ...checked,
  ];
  if (rubric === null || !input.asks_judge) return { kind: 'done', output, violations };
  const judged = await gateJudge.checkRubric(context, work, { rubric, case: input, answer: wordsOf(output) });
  if (judged.kind === 'failed') return judged;
  return { kind: 'done', output, violations: judged.violation ? [...violations, judged.violation] : violations };
}

const isUndecided = ({ kind }: Violation): boolean => kind === UNDECIDED;
const isBan = ({ kind }: Violation): boolean => [...bans].some((ban) => ban === kind);

/** Whether a judge that is not calibrated alone decides on a case. */
const isAdvisory = ({ requirements, rubric, counts_judge: counts }: CaseInput): boolean =>
  requirements.length === 0 && rubric !== null && !counts;

function evidenceOf(sample: FinishedSample | undefined, input: CaseInput): Evidence | null {
  if (sample?.state !== 'done') return null;
  const counted = sample.violations.filter(({ kind }) => kind !== RUBRIC || input.counts_judge || isAdvisory(input));
  if (counted.some(isBan)) return 'breaks_ban';
  // It may have broken a ban: it is no evidence, so the case cannot pass.
  if (counted.some(isUndecided)) return null;
  return counted.length === 0 ? 'passes' : 'fails';
}

function evidenceOfCase(run: RunFacts, input: CaseInput, samples: readonly FinishedSample[]): CaseEvidence {
  const repeats = samples.reduce((most, { repeat }) => Math.max(most, repeat + 1), 0);
  const ofArm = (wanted: RunArm) =>
    Array.from({ length: repeats }, (_one, repeat) =>
      evidenceOf(
        samples.find((sample) => sample.arm === wanted && sample.repeat === repeat),
        input,
      ),
    );
  // Without a judge, a rubric alone gives no evidence at all.
  const isJudged = !isAdvisory(input) || input.asks_judge;
  return {
    candidate: isJudged ? ofArm('candidate') : [],
    live: run.liveText === null ? null : isJudged ? ofArm('live') : [],
    isAdvisory: isAdvisory(input),
  };
}

function concludeGate(
  run: RunFacts,
  subjects: readonly FinishedSubject[],
  { isWhole }: Pick<Concluding, 'isWhole'>,
): Conclusion {
  const inputs = subjects.map(({ input }) => caseInput.parse(input));
  const cases = subjects.map(({ samples }, place) => {
    const input = inputs[place];
    return input ? evidenceOfCase(run, input, samples) : { candidate: [], live: [], isAdvisory: false };
  });
  const decision = decideGate({ cases, repeats: run.repeats });
  const more = decision.undecided.flatMap((place) => {
    const [subject, input] = [subjects[place], inputs[place]];
    if (!subject || !input) return [];
    const from = cases[place]?.candidate.length ?? 0;
    return samplesOf(run, input, { from, count: CONFIRMATION_PAIRS }).map((one) => ({ ...one, subjectId: subject.id }));
  });
  if (isWhole && more.length > 0) return { kind: 'more', samples: more };
  const missing = decision.cases.filter(({ state }) => state === 'missing').length;
  const { together } = decision;
  return {
    kind: 'done',
    verdict: {
      state: decision.state,
      reasons: [
        ...(together === null ? [] : [describeTogether(together)]),
        ...(missing === 0 ? [] : [`${missing} of ${cases.length} cases have too few answers to decide.`]),
        ...(decision.state === 'missing' && missing === 0 ? ['No case decides: all are advisory.'] : []),
      ],
    },
    results: subjects.map((subject, place) => {
      const found = decision.cases[place];
      const state = found?.state ?? 'missing';
      return { subjectId: subject.id, state, rank: RANKS[state], result: resultOf(subject, found) };
    }),
  };
}

const RANKS: Readonly<Record<CaseDecision['state'], number>> = { red: 1, missing: 0.75, advisory: 0.5, green: 0 };

const describeTogether = ({
  pairs,
  candidateFails,
  liveFails,
}: {
  pairs: number;
  candidateFails: number;
  liveFails: number;
}): string =>
  `All cases together are worse: when they were tried again, ${candidateFails} of ${pairs} answers fail, and ${liveFails} of what is live.`;

const NO_DECISION: CaseDecision = {
  state: 'missing',
  why: null,
  candidate: { count: 0, total: 0 },
  live: { count: 0, total: 0 },
};

const caseResult = z.object({
  candidate: z.object({ count: z.int(), total: z.int() }),
  live: z.object({ count: z.int(), total: z.int() }),
  reasons: z.array(z.string()),
});

/** Most reasons that a case names: one violation in several answers is one reason. */
const MAX_REASONS = 5;

function resultOf({ samples }: FinishedSubject, found = NO_DECISION): Json {
  const { candidate, live, why, state } = found;
  const compared = `${candidate.total - candidate.count} of ${candidate.total} answers fail, and ${live.total - live.count} of ${live.total} of what is live.`;
  const violations = samples
    .filter(({ arm }) => arm === 'candidate')
    .flatMap((sample) => sample.violations)
    .filter((violation) => why !== 'ban' || isBan(violation));
  const details = [...new Set(violations.map(({ detail }) => detail))].slice(0, MAX_REASONS);
  const reasons = [
    ...(why === 'worse' ? [compared] : []),
    ...(why === 'worse_together' ? [`Worse together with other cases: ${compared}`] : []),
    ...(state === 'red' || state === 'advisory' ? details : []),
    ...(state === 'missing' ? [whyMissing(samples)] : []),
  ];
  return { candidate, live, reasons };
}

function whyMissing(samples: readonly FinishedSample[]): string {
  const undecided = samples.flatMap(({ violations }) => violations).find(isUndecided)?.detail;
  const failed = samples.find((sample) => sample.state === 'failed')?.error ?? undecided;
  return failed === undefined ? 'Too few answers to decide.' : `Too few answers: ${failed}`;
}

const storedVerdict = z.object({ state: z.enum(['green', 'red', 'missing']), reasons: z.array(z.string()) });

function toVerdict(verdict: unknown, subjects: readonly StoredResult[]): RunVerdict {
  return {
    kind: 'gate',
    ...storedVerdict.parse(verdict),
    cases: subjects.flatMap(({ subject, state, result }) => {
      const found = caseResult.safeParse(result).data;
      const visible = (['green', 'red', 'advisory', 'missing'] as const).find((one) => one === state);
      if (!found || !visible || subject.case_id === null) return [];
      return {
        case_id: subject.case_id,
        name: subject.name,
        state: visible,
        candidate: rateOf(found.candidate),
        live: rateOf(found.live),
        reasons: found.reasons,
      };
    }),
  };
}

/** The normal quantile of a 95 % interval. */
const Z = 1.96;

function rateOf({ count, total }: { count: number; total: number }) {
  const { lower: low, upper: high } = wilsonInterval({ n: total, successes: count }, Z);
  return { count, total, low, high };
}
