/** Replays of dialogues in memory, with a model that never says the same twice: for tests of comparing answers. */
import type { Random } from '../sandbox/random.ts';
import { type ReadAnswer, readAnswer } from '../studio/compare/differences.ts';
import { type ComparedTurn, changesBeyondNoise, type TurnChange } from '../studio/compare/noise.ts';
import { placeTurns, turnsToConfirm } from '../studio/compare/rank.ts';
import { type Noise, type Regression, TOPICS, type Topic, writeNoisyAnswer } from './noisyAnswers.ts';

const DIALOGUES = 50;
const TURNS = 10;
export const QUIET: Noise = { leavesOutQuestion: 0.02, addsFact: 0.1 };
export const LOUD: Noise = { leavesOutQuestion: 0.1, addsFact: 0.4 };

interface Turn {
  readonly dialogueId: number;
  readonly position: number;
  readonly regression: Regression | null;
  candidate: ReadAnswer[];
  live: ReadAnswer[];
  change: TurnChange | null;
}

const NOTHING_GIVEN = { prices: new Set<string>(), links: new Set<string>(), numbers: new Set<string>() };

/** Replay 50 dialogues of 10 turns in memory: from the planted turn on, the candidate answers with the regression. */
export function replayInMemory(random: Random, noise: Noise, planted: ReadonlyMap<number, Regression>): Turn[] {
  const topicOf = (dialogueId: number, position: number): Topic => TOPICS[(dialogueId + position) % 5] ?? 'price';
  const turns: Turn[] = [];
  const write = (turn: Pick<Turn, 'dialogueId' | 'position'>, regression: Regression | null): ReadAnswer =>
    readAnswer(writeNoisyAnswer(random, { topic: topicOf(turn.dialogueId, turn.position), noise, regression }));
  for (let dialogueId = 0; dialogueId < DIALOGUES; dialogueId += 1) {
    const regression = planted.get(dialogueId) ?? null;
    const topic = TOPICS.find((one) => one === regression);
    for (let position = 0; position < TURNS; position += 1) {
      // A fact can only go wrong where it is stated.
      const canShow = topic === undefined || topicOf(dialogueId, position) === topic;
      const own = position >= 2 && canShow ? regression : null;
      const place = { dialogueId, position };
      turns.push({
        ...place,
        regression: own,
        candidate: [write(place, own)],
        live: [write(place, null), write(place, null)],
        change: null,
      });
    }
  }
  let left = turns.length;
  for (;;) {
    evaluate(turns);
    const toConfirm = turnsToConfirm(turns.map(asRanked), left);
    if (toConfirm.length === 0) return turns;
    for (const { turn, candidate, live } of toConfirm) {
      for (let count = 0; count < candidate; count += 1)
        turn.turn.candidate.push(write(turn.turn, turn.turn.regression));
      for (let count = 0; count < live; count += 1) turn.turn.live.push(write(turn.turn, null));
      left -= candidate + live;
    }
  }
}

const asRanked = (turn: Turn) => ({ ...turn, turn, candidates: turn.candidate.length });

function evaluate(turns: Turn[]): void {
  const compared = turns.map(({ candidate, live }): ComparedTurn => ({ candidate, live, contextFacts: NOTHING_GIVEN }));
  for (const [index, change] of changesBeyondNoise(compared).entries()) {
    const turn = turns[index];
    if (turn) turn.change = change;
  }
}

/** Return the turns in the order in which they are shown. */
function ranked(turns: Turn[]): (Turn & { diverged: boolean })[] {
  const places = placeTurns(turns.map(asRanked));
  return turns
    .map((turn, index) => ({ ...turn, ...(places[index] ?? { diverged: false, rank: 0 }) }))
    .toSorted((one, other) => other.rank - one.rank);
}

export const PLANTED = [3, 11, 24, 38, 47];

/** Return the turns that changed beyond noise. */
export const changedTurns = (turns: Turn[]): Turn[] =>
  turns.filter(({ change }) => change !== null && change.kinds.length > 0);

/** Count the dialogues with a planted regression that are among the first ten results. */
export function foundAmongFirstTen(turns: Turn[]): number {
  const first = ranked(turns).slice(0, 10);
  return new Set(first.flatMap(({ regression, dialogueId }) => (regression ? [dialogueId] : []))).size;
}
