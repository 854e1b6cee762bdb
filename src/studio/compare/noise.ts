/**
 * How far an answer of the candidate differs from what is live, beyond what the live version differs from itself. Pure.
 *
 * A model answers differently each time, so a difference alone means nothing. For each turn there are answers of the live
 * version (at least two: generated ones, and the one that was sent if the live version wrote it) and of the candidate.
 * For each kind of change, the mean difference between the live answers of the turn is subtracted from the mean
 * difference between candidate and live answers. If both are drawn from the same distribution, both means estimate the
 * same number, so nothing is left on average.
 *
 * One pair of live answers says little about one turn. So a turn's noise is drawn toward the noise of the whole run, which
 * counts as much as four pairs: with a single pair, the run has four fifths of the weight; with six, two fifths. The run's
 * noise is in turn drawn toward a small default, which matters only for runs of a few turns.
 *
 * A single answer of the candidate may still be the odd one out. A turn that seems changed is therefore answered again
 * (`turnsToConfirm`) before it counts.
 */
import { type ChangeKind, changeKinds } from '../runContract.ts';
import {
  differenceOf,
  type FactKind,
  factKinds,
  factsBeside,
  type Magnitudes,
  mapKinds,
  type ReadAnswer,
} from './differences.ts';

/** What a change of each kind weighs in the score when it is as large as it can be. */
export const WEIGHTS: Magnitudes = {
  hand_over: 0.9,
  stage: 0.9,
  language: 0.9,
  prices: 0.8,
  links: 0.6,
  numbers: 0.4,
  questions: 0.4,
  length: 0.35,
  wording: 0.25,
};

/** A turn with its answers. */
export interface ComparedTurn {
  readonly candidate: readonly ReadAnswer[];
  /** Answers of the live version, the one that was sent included if that version wrote it. */
  readonly live: readonly ReadAnswer[];
  /** Facts of the conversation before the answer, and of what the live version is given to answer with. */
  readonly contextFacts: Readonly<Record<FactKind, ReadonlySet<string>>>;
}

export interface TurnChange {
  /** Change beyond noise, 0 to 1: `1 − Π(1 − weight · magnitude)` over the kinds that changed; 0 without any. */
  readonly score: number;
  /** The same over all kinds, also those whose difference may be noise: orders turns without a change. */
  readonly leaning: number;
  /** The same formula for what the live version differs from itself. */
  readonly noise: number;
  /** The kinds that changed beyond noise. Without any, the turn counts as unchanged. */
  readonly kinds: readonly ChangeKind[];
}

/** Difference of each kind, as a mean over pairs of answers: how much, and in which share of the pairs at all. */
interface Means {
  readonly pairs: number;
  readonly magnitude: Magnitudes;
  readonly share: Magnitudes;
}

/** How many pairs of live answers the noise of the whole run counts for in a turn. */
const PAIRS_OF_RUN = 4;
/** How many turns the default noise counts for in a run. */
const TURNS_OF_DEFAULT = 2;
const DEFAULT_NOISE: Magnitudes = {
  hand_over: 0.02,
  stage: 0.05,
  language: 0.01,
  prices: 0.05,
  links: 0.05,
  numbers: 0.1,
  questions: 0.1,
  length: 0.1,
  wording: 0.4,
};

/** From which magnitude two answers count as different in a kind. */
const DIFFERENT: Magnitudes = {
  hand_over: 0.5,
  stage: 1,
  language: 1,
  prices: 0.01,
  links: 0.01,
  numbers: 0.01,
  questions: 0.5,
  // A factor of 1.5.
  length: 0.2,
  wording: 1,
};

/**
 * A kind has changed if the share of pairs that differ is so much larger between candidate and live answers than among live
 * ones. [At 0.5, and with half the weight for the run's noise, a model compared with itself had three times as many turns
 * that seemed changed after confirmation.]
 */
const CHANGED_SHARE = 0.6;
/** Wording always differs, so it counts by how much: so far above the noise. */
const CHANGED_WORDING = 0.3;

/**
 * Return what changed in each turn of a run, in their order. Turns without an answer of the candidate or without two live
 * ones have null: nothing can be said of them.
 */
export function changesBeyondNoise(turns: readonly ComparedTurn[]): (TurnChange | null)[] {
  const live = turns.map(({ live: answers }) => meanOfPairs(pairsWithin(answers)));
  const noiseOfRun = noiseOf(live.filter(({ pairs }) => pairs > 0));
  const familiarity = new Familiarity(turns);
  return turns.map((turn, index) => {
    const own = live[index];
    if (!own || own.pairs === 0 || turn.candidate.length === 0) return null;
    const across = meanOfPairs(turn.candidate.flatMap((one) => turn.live.map((other) => [one, other] as const)));
    const noise = shrink(own, noiseOfRun);
    return changeOf({ across, noise, unfamiliar: familiarity.excessOf(turn) });
  });
}

function changeOf(found: { across: Means; noise: Omit<Means, 'pairs'>; unfamiliar: ReadonlyMap<ChangeKind, number> }) {
  const { across, noise, unfamiliar } = found;
  const beyond = mapKinds((kind) =>
    Math.max(0, across.magnitude[kind] - noise.magnitude[kind], unfamiliar.get(kind) ?? 0),
  );
  const kinds = changeKinds.filter((kind) =>
    kind === 'wording'
      ? beyond.wording >= CHANGED_WORDING
      : Math.max(across.share[kind] - noise.share[kind], unfamiliar.get(kind) ?? 0) >= CHANGED_SHARE,
  );
  const changed = mapKinds((kind) => (kinds.includes(kind) ? beyond[kind] : 0));
  return { score: combine(changed), leaning: combine(beyond), noise: combine(noise.magnitude), kinds };
}

/** Combine magnitudes into one number from 0 to 1: each kind adds to what the others leave of 1. */
const combine = (magnitudes: Magnitudes): number =>
  1 - changeKinds.reduce((rest, kind) => rest * (1 - WEIGHTS[kind] * Math.min(1, magnitudes[kind])), 1);

type Pair = readonly [ReadAnswer, ReadAnswer];

const pairsWithin = (answers: readonly ReadAnswer[]): Pair[] =>
  answers.flatMap((one, index) => answers.slice(index + 1).map((other) => [one, other] as const));

function meanOfPairs(pairs: readonly Pair[]): Means {
  const all = pairs.map(([one, other]) => differenceOf(one, other));
  const mean = (valueOf: (magnitudes: Magnitudes) => number): number =>
    all.length === 0 ? 0 : all.reduce((sum, magnitudes) => sum + valueOf(magnitudes), 0) / all.length;
  return {
    pairs: all.length,
    magnitude: mapKinds((kind) => mean((magnitudes) => magnitudes[kind])),
    share: mapKinds((kind) => mean((magnitudes) => (magnitudes[kind] >= DIFFERENT[kind] ? 1 : 0))),
  };
}

/** The noise of a run: the mean over its turns, each counting once, and the default. */
function noiseOf(turns: readonly Means[]): Omit<Means, 'pairs'> {
  const mean = (valueOf: (turn: Means) => Magnitudes): Magnitudes =>
    mapKinds((kind) => {
      const sum = turns.reduce((total, turn) => total + valueOf(turn)[kind], 0);
      return (sum + TURNS_OF_DEFAULT * DEFAULT_NOISE[kind]) / (turns.length + TURNS_OF_DEFAULT);
    });
  return { magnitude: mean(({ magnitude }) => magnitude), share: mean(({ share }) => share) };
}

function shrink(own: Means, run: Omit<Means, 'pairs'>): Omit<Means, 'pairs'> {
  const between = (ours: Magnitudes, whole: Magnitudes): Magnitudes =>
    mapKinds((kind) => (own.pairs * ours[kind] + PAIRS_OF_RUN * whole[kind]) / (own.pairs + PAIRS_OF_RUN));
  return { magnitude: between(own.magnitude, run.magnitude), share: between(own.share, run.share) };
}

/**
 * Facts that the live version states nowhere in the run: a price among them is no accident of this turn, even if live
 * answers differ in which prices they mention. How often a live answer states a fact that no other one states is the noise
 * of it (as in the estimate of unseen species by Good, Biometrika 40, 1953, 237–264).
 */
class Familiarity {
  /** How many live answers of the run state a fact. */
  private readonly statedBy = new Map<string, number>();
  private readonly noise: ReadonlyMap<FactKind, number>;

  constructor(turns: readonly ComparedTurn[]) {
    for (const { live } of turns)
      for (const answer of live)
        for (const name of namesOf(answer)) this.statedBy.set(name, (this.statedBy.get(name) ?? 0) + 1);
    const answers = turns.flatMap((turn) => turn.live.map((answer) => ({ turn, answer })));
    this.noise = new Map(
      factKinds.map((kind) => {
        const unfamiliar = answers.filter(({ turn, answer }) => this.isUnfamiliar({ kind, turn, answer, own: 1 }));
        return [
          kind,
          (unfamiliar.length + TURNS_OF_DEFAULT * DEFAULT_NOISE[kind]) / (answers.length + TURNS_OF_DEFAULT),
        ];
      }),
    );
  }

  /** In which share of the candidate's answers unfamiliar facts of each kind are, beyond noise. */
  excessOf(turn: ComparedTurn): Map<ChangeKind, number> {
    return new Map(
      factKinds.map((kind) => {
        const having = turn.candidate.filter((answer) => this.isUnfamiliar({ kind, turn, answer, own: 0 }));
        return [kind, Math.max(0, having.length / turn.candidate.length - (this.noise.get(kind) ?? 0))];
      }),
    );
  }

  /** @param asked `own`: how many of the live answers are the answer itself */
  private isUnfamiliar(asked: { kind: FactKind; turn: ComparedTurn; answer: ReadAnswer; own: 0 | 1 }): boolean {
    const { kind, turn, answer, own } = asked;
    // A hand-over states nothing, which is told by itself.
    const others = turn.live.filter((one) => one !== answer && one.output.hand_over === null);
    if (others.length === 0) return false;
    return answer[kind].some(
      (fact) =>
        !turn.contextFacts[kind].has(fact.key) &&
        (this.statedBy.get(nameOf(kind, fact.key)) ?? 0) <= own &&
        others.every((other) => factsBeside(kind, answer, other).includes(fact)),
    );
  }
}

const nameOf = (kind: FactKind, key: string): string => `${kind} ${key}`;
const namesOf = (answer: ReadAnswer): string[] =>
  factKinds.flatMap((kind) => answer[kind].map(({ key }) => nameOf(kind, key)));
