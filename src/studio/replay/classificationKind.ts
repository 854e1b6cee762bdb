/**
 * Replay of a classification prompt: the stages that the candidate and what is live name for real dialogues, in a table
 * against what became of the lead. A dialogue in which they differ is asked about again, and the most frequent stage counts.
 */
import { z } from 'zod';
import { HISTORY_LIMIT } from '../../conversations/systemPrompt.ts';
import { stages } from '../../leads/contract.ts';
import { rateOf } from '../../outcomes/funnel.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { refuse } from '../../platform/refuse.ts';
import { classifySample } from '../answerSample.ts';
import { readFactsAt } from '../caseOfMessage.ts';
import { WEIGHTS } from '../compare/noise.ts';
import type {
  Concluding,
  Conclusion,
  FinishedSubject,
  Performed,
  PlannedSample,
  PlannedSubject,
  Planning,
  RunArm,
  RunFacts,
  RunKindPlan,
  StoredResult,
  SubjectResult,
  Work,
} from '../run.ts';
import { type RunVerdict, studioOutput, studioRefusals } from '../runContract.ts';
import {
  type DialogueWithOutcome,
  findDialoguesWithOutcome,
  findOwnDialogues,
  type ReplayedMessage,
  readReplayedMessages,
} from '../store/replayed.ts';

export const classificationKind: RunKindPlan = {
  kind: 'classification',
  promptTypes: ['classification'],
  plan: planClassification,
  perform: performClassification,
  conclude: concludeClassification,
  toVerdict: classificationVerdict,
  toResult: (stored) => {
    const { change } = classificationResult.safeParse(stored).data ?? { change: null };
    return { change };
  },
};

const outcome = z.enum(['success', 'refused', 'failed']);
const stage = z.enum(stages).nullable();

const classificationInput = z.object({
  last_message_id: z.number(),
  outcome,
  /** Stage detection has set it: agreeing with it proves nothing. */
  is_detected: z.boolean(),
  history: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string(), kind: z.string() })),
});
type ClassificationInput = z.output<typeof classificationInput>;

const classificationResult = z.object({
  outcome,
  is_detected: z.boolean(),
  live: stage,
  candidate: stage,
  change: z
    .object({ score: z.number(), noise: z.number(), kinds: z.array(z.literal('stage')), facts: z.array(z.string()) })
    .nullable(),
});
type ClassificationResult = z.output<typeof classificationResult>;

const FRAME_LENGTH = 3000;
const ANSWER_LENGTH = 300;
/** Answers of each version that are added where they name other stages. */
const CONFIRMATIONS = 2;

async function planClassification({ reader }: Planning, run: RunFacts): Promise<PlannedSubject[]> {
  const { product, settings } = run;
  const { dialogue_ids: chosen, sample } = settings;
  if (chosen !== null && (await findOwnDialogues(reader, product.id, chosen)).length < new Set(chosen).size)
    throw refuse(studioRefusals, 'studio.other_product', { noun: 'dialogue' });
  const dialogues = await findDialoguesWithOutcome(reader, {
    productId: product.id,
    ids: chosen,
    limit: chosen?.length ?? sample,
  });
  if (dialogues.length === 0) throw refuse(studioRefusals, 'studio.no_outcomes');
  const messages = await readReplayedMessages(
    reader,
    { promptId: null, liveText: null, model: run.model },
    dialogues.map(({ id }) => id),
  );
  const threads = Map.groupBy(messages, ({ dialogue_id: id }) => id);
  return dialogues.map((dialogue) => planDialogue(run, dialogue, threads.get(dialogue.id) ?? []));
}

function planDialogue(
  run: RunFacts,
  dialogue: DialogueWithOutcome,
  thread: readonly ReplayedMessage[],
): PlannedSubject {
  const history = thread.slice(-HISTORY_LIMIT).map(({ side, text, kind }) => ({ side, text, kind }));
  const input: ClassificationInput = {
    last_message_id: dialogue.last_message_id,
    outcome: dialogue.outcome,
    is_detected: dialogue.is_detected,
    history,
  };
  return {
    key: `dialogue ${dialogue.id}`,
    subject: {
      kind: 'dialogue',
      name: dialogue.lead_name,
      case_id: null,
      dialogue_id: dialogue.id,
      lead_id: dialogue.lead_id,
      message_id: null,
      persona_id: null,
    },
    history: history.map(({ side, text }) => ({ side, text })),
    real: null,
    input: z.json().parse(input),
    samples: samplesOf(run, input, { from: 0, count: 1 }),
  };
}

function samplesOf(
  run: RunFacts,
  { history }: Pick<ClassificationInput, 'history'>,
  { from, count }: { readonly from: number; readonly count: number },
): PlannedSample[] {
  const arms: readonly RunArm[] = run.liveText === null ? ['candidate'] : ['candidate', 'live'];
  const length = history.reduce((sum, { text }) => sum + text.length, FRAME_LENGTH);
  return Array.from({ length: count }, (_, index) =>
    arms.map((arm): PlannedSample => {
      const text = arm === 'candidate' ? run.text : (run.liveText ?? '');
      return { arm, repeat: from + index, calls: 1, call: { sent: text.length + length, received: ANSWER_LENGTH } };
    }),
  ).flat();
}

async function performClassification(context: AppContext, work: Work): Promise<Performed> {
  const { history, last_message_id: messageId } = classificationInput.parse(work.subject.input);
  const facts = await readFactsAt(context.reader, messageId);
  if (!facts) return { kind: 'failed', reason: 'The dialogue is gone', isPermanent: true, isPaused: false };
  // The final stage of the lead would give the answer away. While stages were detected, it was this one.
  const asked = {
    text: work.text ?? '',
    facts: { ...facts, lead: { ...facts.lead, stage: 'ongoing' as const } },
    history,
  };
  const answer = await classifySample(context, work, asked);
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'no_answer') {
    const { violation } = answer;
    return { kind: 'done', output: null, error: violation.detail, violations: [violation] };
  }
  const { output, unusable } = answer;
  const violations = unusable === null ? [] : [{ kind: 'unusable', detail: `It cannot be used. ${unusable}.` }];
  return { kind: 'done', output, violations };
}

function concludeClassification(
  run: RunFacts,
  subjects: readonly FinishedSubject[],
  { isWhole }: Pick<Concluding, 'isWhole'>,
): Conclusion {
  const found = subjects.map((subject) => {
    const input = classificationInput.parse(subject.input);
    const [candidate, live] = [namedStage(subject, 'candidate'), namedStage(subject, 'live')];
    return { subject, input, candidate, live };
  });
  const unconfirmed = found.filter(
    ({ subject, candidate, live }) =>
      candidate !== live && candidate !== null && live !== null && subject.samples.length <= 2,
  );
  if (isWhole && unconfirmed.length > 0)
    return {
      kind: 'more',
      samples: unconfirmed.flatMap(({ subject, input }) =>
        samplesOf(run, input, { from: 1, count: CONFIRMATIONS }).map((one) => ({ ...one, subjectId: subject.id })),
      ),
    };
  return { kind: 'done', verdict: {}, results: found.map((one) => resultOf(run, one)) };
}

/** The stage that most samples of an arm name; of several, the one that was named first. */
function namedStage({ samples }: FinishedSubject, wanted: RunArm): ClassificationResult['live'] {
  const named = samples
    .filter(({ arm, state }) => arm === wanted && state === 'done')
    .flatMap(({ output }) => studioOutput.nullable().parse(output)?.stage ?? []);
  const countOf = (one: string): number => named.filter((other) => other === one).length;
  return named.toSorted((one, other) => countOf(other) - countOf(one))[0] ?? null;
}

interface NamedStages extends Pick<ClassificationResult, 'candidate' | 'live'> {
  readonly subject: FinishedSubject;
  readonly input: ClassificationInput;
}

function resultOf(run: RunFacts, { subject, input, candidate, live }: NamedStages): SubjectResult {
  const isMissing = candidate === null || (run.liveText !== null && live === null);
  const isChanged = candidate !== live && candidate !== null && live !== null;
  const result: ClassificationResult = {
    outcome: input.outcome,
    is_detected: input.is_detected,
    live,
    candidate,
    change: isChanged
      ? {
          score: WEIGHTS.stage,
          noise: 0,
          kinds: ['stage'],
          facts: [`Names the stage ${candidate} instead of ${live}`, `What became of the lead: ${outcomeName(input)}`],
        }
      : null,
  };
  const [agrees, agreed] = [candidate === input.outcome, live === input.outcome];
  // What the candidate gets wrong and live gets right matters most, then what it gets right.
  const rank = !isChanged ? 0 : agreed ? 3 : agrees ? 2 : 1;
  const state = isMissing ? 'missing' : isChanged ? 'changed' : 'same';
  return { subjectId: subject.id, state, rank, result };
}

const outcomeName = ({
  outcome: name,
  is_detected: isDetected,
}: Pick<ClassificationResult, 'outcome' | 'is_detected'>) => (isDetected ? `${name} (by stage detection)` : name);

/** Count dialogues by stage and outcome. Agreement is counted where people or the CRM have set the outcome. */
function classificationVerdict(_verdict: unknown, subjects: readonly StoredResult[]): RunVerdict {
  const results = subjects.map(({ result }) => classificationResult.parse(result));
  const outcomes = [...new Set(results.map(outcomeName))].toSorted();
  const agreement = (arm: 'live' | 'candidate') => {
    const judged = results.filter((one) => !one.is_detected && one[arm] !== null);
    const count = judged.filter((one) => one[arm] === one.outcome).length;
    const { low, high } = rateOf(count, judged.length);
    return { count, total: judged.length, low, high };
  };
  return {
    kind: 'classification',
    table: stages.flatMap((named) =>
      outcomes.flatMap((name) => {
        const own = results.filter((one) => outcomeName(one) === name);
        const live = own.filter((one) => one.live === named).length;
        const candidate = own.filter((one) => one.candidate === named).length;
        return live + candidate === 0 ? [] : [{ stage: named, outcome: name, live, candidate }];
      }),
    ),
    live: agreement('live'),
    candidate: agreement('candidate'),
  };
}
