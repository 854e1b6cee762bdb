/** What the talks of a simulation show: which personas pass, what was found, and how real the simulated leads are. Pure. */
import { z } from 'zod';
import { wilsonInterval } from '../../outcomes/statistics/proportions.ts';
import type {
  Concluding,
  Conclusion,
  FinishedSample,
  FinishedSubject,
  Json,
  RunFacts,
  RunKindPlan,
  StoredResult,
  SubjectResult,
} from '../run.ts';
import type { RunVerdict } from '../runContract.ts';
import { type SimulatedStyle, tellApart } from './realism.ts';
import { subjectInput, talkOutput } from './stored.ts';

const Z = 1.96;
/** Most sentences about one persona. */
const MAX_FINDINGS = 20;

const count = z.object({ count: z.int(), total: z.int() });
type Count = z.output<typeof count>;

const storedResult = z.object({
  history: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string() })),
  candidate: count,
  live: count,
  passes: z.boolean(),
  findings: z.array(z.string()),
});
type StoredPersona = z.output<typeof storedResult>;

const storedVerdict = z.object({ realism: count.nullable(), notes: z.array(z.string()) });

export function concludeSimulation(
  run: RunFacts,
  subjects: readonly FinishedSubject[],
  { isWhole }: Pick<Concluding, 'isWhole'>,
): Conclusion {
  const results = subjects.map((subject): SubjectResult => {
    const result = judgePersona(subject, run.repeats);
    const { candidate, live, passes } = result;
    const isMissing = candidate.total < run.repeats;
    const failed = candidate.total - candidate.count;
    return {
      subjectId: subject.id,
      state: failed > 0 ? 'red' : isMissing ? 'missing' : 'green',
      // What fails with the candidate and not with what is live comes first.
      rank: passes ? 0 : failed * 10 - (live.total - live.count) + (isMissing ? 1 : 0),
      result: result satisfies Json,
    };
  });
  return { kind: 'done', verdict: measure(subjects, isWhole) satisfies Json, results };
}

const isClean = ({ state, output, error, violations }: FinishedSample): boolean =>
  state === 'done' && output !== null && error === null && violations.length === 0;

/** A talk that says something: it was had, and no fault of ours spoilt it. */
const isTalk = ({ state, output, error }: FinishedSample): boolean =>
  state === 'done' && output !== null && error === null;

function judgePersona({ samples }: FinishedSubject, repeats: number): StoredPersona {
  const of = (arm: FinishedSample['arm']) =>
    samples.filter((one) => one.arm === arm).toSorted((one, other) => one.repeat - other.repeat);
  const candidate = of('candidate');
  const counted = (list: readonly FinishedSample[]): Count => ({
    count: list.filter(isClean).length,
    total: list.filter(isTalk).length,
  });
  const visible = candidate.find((one) => isTalk(one) && !isClean(one)) ?? candidate.find(isTalk);
  return {
    history: linesOf(visible),
    candidate: counted(candidate),
    live: counted(of('live')),
    passes: candidate.filter(isClean).length === repeats,
    findings: describe(candidate),
  };
}

const linesOf = (sample: FinishedSample | undefined): StoredPersona['history'] =>
  talkOutput.safeParse(sample?.output).data?.lines ?? [];

/** Say what was found in a persona's talks, what occurred most often first. */
function describe(samples: readonly FinishedSample[]): string[] {
  const talks = samples.filter(isTalk);
  const seen = new Map<string, { talks: Set<number>; first: string }>();
  for (const { repeat, violations } of talks)
    for (const { kind, detail } of violations) {
      // What differs is which answer it is: the sentence before it says what is wrong.
      const key = `${kind} ${detail.replace(/ \(answer \d+.*$/s, '')}`;
      const existing = seen.get(key) ?? { talks: new Set(), first: detail };
      existing.talks.add(repeat);
      seen.set(key, existing);
    }
  const found = [...seen.values()]
    .toSorted((one, other) => other.talks.size - one.talks.size)
    .map(({ talks: having, first }) => `In ${having.size} of ${talks.length} talks: ${first}`);
  const outputs = talks.flatMap(({ output }) => talkOutput.safeParse(output).data ?? []);
  const replaced = outputs.filter((one) => one.replaced > 0).length;
  const played =
    replaced === 0
      ? []
      : [`In ${replaced} of ${talks.length} talks, the model could not play this lead; plain words were used in part.`];
  return [...found.slice(0, MAX_FINDINGS), ...played];
}

/** Measure how well simulated talks can be told from real ones, and say what that means. */
function measure(subjects: readonly FinishedSubject[], isWhole: boolean): z.output<typeof storedVerdict> {
  const inputs = subjects.map(({ input }) => subjectInput.safeParse(input).data);
  const real = inputs.find((one) => one?.real)?.real ?? null;
  const simulated: SimulatedStyle[] = [];
  const agreement: { count: number; total: number } = { count: 0, total: 0 };
  let isPursued = false;
  for (const [index, { samples, id }] of subjects.entries())
    for (const sample of samples) {
      const talk = isTalk(sample) ? talkOutput.safeParse(sample.output).data : undefined;
      if (!talk) continue;
      isPursued ||= talk.pursued;
      agreement.count += talk.agreement.count;
      agreement.total += talk.agreement.total;
      if (talk.style) simulated.push({ persona: inputs[index]?.persona.id ?? id, style: talk.style });
    }
  return {
    realism: real ? tellApart(simulated, real.styles) : null,
    notes: [
      MORE_AGREEABLE,
      ...(real && real.agreement.total > 0 && agreement.total > 0 ? [compareAgreement(agreement, real.agreement)] : []),
      ...(isPursued ? [PURSUED] : []),
      ...countErrors(subjects),
      ...(isWhole ? [] : ['The run ended early: some talks were not had.']),
    ],
  };
}

const MORE_AGREEABLE =
  'Simulated leads are more agreeable and more patient than real ones. A talk that fails here would most likely fail with a real lead; one that passes is no proof that it would not.';

/** Talks that say nothing of the prompt: nobody talked, the model failed, or we broke a guarantee of our own. */
function countErrors(subjects: readonly FinishedSubject[]): string[] {
  const counts = new Map<string, number>();
  for (const { error } of subjects.flatMap(({ samples }) => samples))
    if (error !== null) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].map(
    ([error, talks]) => `${talks === 1 ? '1 talk does' : `${talks} talks do`} not count: ${error}`,
  );
}

const PURSUED =
  'Leads who had refused got follow-ups: this product has no stage detection, which would have ended them.';

const percent = ({ count: part, total }: Count): string => `${Math.round((100 * part) / total)} %`;

const compareAgreement = (simulated: Count, real: Count): string =>
  `Words of agreement are in ${percent(simulated)} of the messages of simulated leads, and in ${percent(real)} of those of real ones.`;

const withInterval = ({ count: successes, total: n }: Count) => {
  const { lower: low, upper: high } = wilsonInterval({ n, successes }, Z);
  return { count: successes, total: n, low, high };
};

/** Build the verdict as the API shows it. */
export function toSimulationVerdict(verdict: unknown, subjects: readonly StoredResult[]): RunVerdict {
  const { realism, notes } = storedVerdict.parse(verdict);
  return {
    kind: 'simulation',
    personas: subjects.flatMap(({ subject, result }) => {
      const found = storedResult.safeParse(result).data;
      if (!found || subject.persona_id === null) return [];
      const { candidate, live, passes, findings } = found;
      return [
        {
          persona_id: subject.persona_id,
          name: subject.name,
          candidate: withInterval(candidate),
          live: withInterval(live),
          passes,
          findings,
        },
      ];
    }),
    realism: realism && withInterval(realism),
    notes,
  };
}

/** A result shows a whole talk: one that fails, if one does. */
export const toSimulationResult: NonNullable<RunKindPlan['toResult']> = (result) => ({
  history: storedResult.safeParse(result).data?.history ?? [],
});
