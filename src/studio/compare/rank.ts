/** Orders the turns of a replay by change beyond noise, and marks those after a dialogue has changed. Pure. */
import type { TurnChange } from './noise.ts';

/** A turn of a replayed dialogue. */
export interface RankedTurn {
  readonly dialogueId: number;
  /** Its position in the dialogue; later turns have higher ones. */
  readonly position: number;
  /** Null: not enough answers to say anything. */
  readonly change: TurnChange | null;
  /** How often it was answered with the candidate. */
  readonly candidates: number;
}

export interface Placed {
  /** An earlier turn of the dialogue has changed: the lead would have answered something else from there. */
  readonly diverged: boolean;
  /** The higher, the more it matters: turns that changed, those that did not, then those after a change. */
  readonly rank: number;
}

const isChanged = ({ change }: RankedTurn): boolean => change !== null && change.kinds.length > 0;

/** Place the turns of a run, in their order. */
export function placeTurns(turns: readonly RankedTurn[]): Placed[] {
  const firstChanges = new Map(firstChangesOf(turns).map((turn) => [turn.dialogueId, turn.position]));
  return turns.map((turn) => {
    const firstChange = firstChanges.get(turn.dialogueId);
    const diverged = firstChange !== undefined && turn.position > firstChange;
    const { score = 0, leaning = 0 } = turn.change ?? {};
    if (diverged) return { diverged, rank: leaning };
    return { diverged, rank: isChanged(turn) ? 2 + score : 1 + leaning };
  });
}

/**
 * How a turn that seems changed is confirmed: with one more answer of each version, and if it still seems changed, with
 * two more of the candidate and one of the live version. Most accidents are found out by the first step already.
 */
const STEPS: readonly { readonly candidate: number; readonly live: number }[] = [
  { candidate: 1, live: 1 },
  { candidate: 2, live: 1 },
];

const ANSWERS_OF_TURN = STEPS.reduce((sum, { candidate, live }) => sum + candidate + live, 0);

/**
 * Return how many answers confirmations may add to a run: as many as it has turns, but enough for one turn of each
 * dialogue. [A model that often leaves out its question and adds facts took three quarters of it.]
 */
export const mostConfirmations = ({ turns, dialogues }: { turns: number; dialogues: number }): number =>
  Math.max(turns, ANSWERS_OF_TURN * dialogues);

export interface Confirmation<Turn> {
  readonly turn: Turn;
  /** Answers still to be generated. */
  readonly candidate: number;
  readonly live: number;
}

/**
 * Choose turns to answer again: the first turn of each dialogue that seems changed, since what follows is judged by it and
 * it may have ranked high by accident. Largest changes first, as far as `limit` answers go.
 */
export function turnsToConfirm<Turn extends RankedTurn>(turns: readonly Turn[], limit: number): Confirmation<Turn>[] {
  const wanted = firstChangesOf(turns)
    .toSorted((one, other) => (other.change?.score ?? 0) - (one.change?.score ?? 0))
    .flatMap((turn) => {
      // A turn begins with one answer of the candidate.
      const step = turn.candidates === 1 ? STEPS[0] : turn.candidates === 2 ? STEPS[1] : undefined;
      return step ? [{ turn, ...step }] : [];
    });
  let left = limit;
  return wanted.filter(({ candidate, live }) => {
    left -= candidate + live;
    return left >= 0;
  });
}

function firstChangesOf<Turn extends RankedTurn>(turns: readonly Turn[]): Turn[] {
  const first = new Map<number, Turn>();
  for (const turn of turns) {
    const found = first.get(turn.dialogueId);
    if (isChanged(turn) && (!found || turn.position < found.position)) first.set(turn.dialogueId, turn);
  }
  return [...first.values()];
}
