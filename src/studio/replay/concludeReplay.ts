/** Concludes a replay from its samples: what changed beyond noise, what is still to be confirmed or judged. Pure. */
import { type ComparedOutput, type FactKind, factKinds, type ReadAnswer, readAnswer } from '../compare/differences.ts';
import { changesBeyondNoise } from '../compare/noise.ts';
import { mostConfirmations, type Placed, placeTurns, type RankedTurn, turnsToConfirm } from '../compare/rank.ts';
import { changeSentences } from '../compare/sentences.ts';
import { statedFacts } from '../compare/statedFacts.ts';
import { areSameAnswers } from '../judge/question.ts';
import type {
  Concluding,
  Conclusion,
  FinishedSample,
  FinishedSubject,
  PlannedSample,
  RunFacts,
  SubjectResult,
} from '../run.ts';
import { studioOutput } from '../runContract.ts';
import { answerSampleOf, judgeSampleOf } from './planReplay.ts';
import { judgement, type ReplayInput, replayInput } from './replayInput.ts';
import type { ReplayResult } from './replayResult.ts';

/** Rounds in which turns are confirmed; the last ones are left to the judge. */
const CONFIRMATION_ROUNDS = 8;

interface Turn extends RankedTurn, Placed {
  readonly subject: FinishedSubject;
  readonly input: ReplayInput;
  readonly candidate: readonly ReadAnswer[];
  readonly live: readonly ReadAnswer[];
}

export function concludeReplay(
  run: RunFacts,
  subjects: readonly FinishedSubject[],
  { round, isWhole }: Pick<Concluding, 'round' | 'isWhole'>,
): Conclusion {
  const turns = compareTurns(run, subjects);
  if (isWhole) {
    const confirmations = round <= CONFIRMATION_ROUNDS ? confirm(run, turns) : [];
    if (confirmations.length > 0) return { kind: 'more', samples: confirmations };
    const judgements = run.withJudge ? turns.filter(needsJudge).map((turn) => judgeTurn(run, turn)) : [];
    if (judgements.length > 0) return { kind: 'more', samples: judgements };
  }
  // What was found of each turn is counted when the run is shown: deleted leads are not in it.
  return { kind: 'done', verdict: { with_judge: run.withJudge }, results: turns.map(resultOf) };
}

function compareTurns(run: RunFacts, subjects: readonly FinishedSubject[]): Turn[] {
  const prompt = statedFacts(run.liveText ?? '');
  const read = subjects.map((subject) => {
    const input = replayInput.parse(subject.input);
    const real = input.is_of_live ? [readAnswer({ text: input.real, hand_over: null, stage: null })] : [];
    const contextFacts = (kind: FactKind): ReadonlySet<string> =>
      new Set([...input.context_facts[kind], ...prompt[kind].map(({ key }) => key)]);
    const [prices, links, numbers] = [contextFacts('prices'), contextFacts('links'), contextFacts('numbers')];
    return {
      subject,
      input,
      candidate: answersOf(subject.samples, 'candidate'),
      live: [...answersOf(subject.samples, 'live'), ...real],
      contextFacts: { prices, links, numbers } satisfies Record<(typeof factKinds)[number], unknown>,
    };
  });
  const changes = changesBeyondNoise(read);
  const ranked = read.map((turn, index) => ({
    ...turn,
    dialogueId: turn.subject.subject.dialogue_id ?? 0,
    position: turn.input.position,
    change: changes[index] ?? null,
    candidates: turn.subject.samples.filter(({ arm }) => arm === 'candidate').length,
  }));
  const places = placeTurns(ranked);
  return ranked.map((turn, index) => ({ ...turn, ...(places[index] ?? { diverged: false, rank: 0 }) }));
}

const NO_ANSWER: ComparedOutput = { text: '', hand_over: null, stage: null };

/** The answers of an arm. One that answers nothing, since its prompt cannot be filled in, says nothing. */
function answersOf(samples: readonly FinishedSample[], wanted: FinishedSample['arm']): ReadAnswer[] {
  return samples
    .filter(({ arm, state }) => arm === wanted && state === 'done')
    .map(({ output }) => readAnswer(studioOutput.nullable().parse(output) ?? NO_ANSWER));
}

/** Samples that are asked for of a turn. */
type MoreSamples = Extract<Conclusion, { kind: 'more' }>['samples'];

/** Answers for turns that seem changed. */
function confirm(run: RunFacts, turns: readonly Turn[]): MoreSamples {
  const ofLive = ({ subject }: Turn): number => subject.samples.filter(({ arm }) => arm === 'live').length;
  const added = turns.reduce((sum, turn) => {
    const firstLive = turn.input.is_of_live ? 1 : 2;
    return sum + Math.max(0, turn.candidates - 1) + Math.max(0, ofLive(turn) - firstLive);
  }, 0);
  const dialogues = new Set(turns.map(({ dialogueId }) => dialogueId)).size;
  const left = mostConfirmations({ turns: turns.length, dialogues }) - added;
  return turnsToConfirm(turns, left).flatMap(({ turn, candidate, live }) => {
    const more = (arm: 'candidate' | 'live', from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ arm, repeat: from + index }));
    return [...more('candidate', turn.candidates, candidate), ...more('live', ofLive(turn), live)].map((one) => ({
      ...answerSampleOf(run, turn.input.history_length, one),
      subjectId: turn.subject.id,
    }));
  });
}

const judgeSampleIn = ({ subject }: Turn): FinishedSample | undefined =>
  subject.samples.find(({ arm }) => arm === 'judge');

/** A judge is asked about the turns that changed, up to the first of each dialogue. */
function needsJudge(turn: Turn): boolean {
  const [candidate, live] = [turn.candidate[0], turn.live[0]];
  const isChanged = turn.change !== null && turn.change.kinds.length > 0 && !turn.diverged;
  if (!isChanged || !candidate || !live || judgeSampleIn(turn)) return false;
  return !areSameAnswers(candidate.output, live.output);
}

function judgeTurn(run: RunFacts, { subject, input }: Turn): PlannedSample & { readonly subjectId: number } {
  return { ...judgeSampleOf(run, input.history_length), subjectId: subject.id };
}

function resultOf(turn: Turn): SubjectResult {
  const { subject, change, diverged, rank, live, candidate } = turn;
  const judged = judgement.safeParse(judgeSampleIn(turn)?.output).data;
  const result: ReplayResult = {
    change: change && {
      score: round(change.score),
      noise: round(change.noise),
      kinds: [...change.kinds],
      facts: changeSentences(change.kinds, { live, candidate }),
    },
    diverged,
    judged: judged ? preferenceForCandidate(judged) : null,
  };
  const state = change === null ? 'missing' : change.kinds.length > 0 ? 'changed' : 'same';
  return { subjectId: subject.id, state, rank, result };
}

function preferenceForCandidate({ judged, is_candidate_first: isFirst }: ReturnType<typeof judgement.parse>) {
  if (judged === 'tie') return 'tie';
  return (judged === 'first') === isFirst ? 'better' : 'worse';
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
