/**
 * Decides a gate from its samples. Pure. See docs/decisions/0042-studio.md for the rule and its errors.
 *
 * A violated ban is red at once. Anything else is compared with what is live on the same case, in pairs: one answer of
 * the candidate and one of what is live. If the candidate fails more often in the first pairs, more pairs are made until
 * the case is clearly worse (red), no worse any more, or there have been enough (green).
 */

/** Pairs that each confirmation adds, and how many confirmations there are at most. */
export const CONFIRMATION_PAIRS = 3;
export const MAX_CONFIRMATIONS = 3;

/**
 * Chance of a red for a prompt that is as good as what is live: of the whole gate, shared by its cases, and of one case at
 * most. The error of the whole rule is below 5 % whatever the share of good answers is (computed exactly in the test).
 */
const GATE_ERROR = 0.05;
const CASE_ERROR = 0.01;

/** All cases together: chances of a suspicion by the first pairs, and of its confirmation by the next ones. */
const SUSPICION = 0.05;
const CONFIRMATION = 0.01;

/** What an answer is worth as evidence. */
export type Evidence = 'passes' | 'fails' | 'breaks_ban';

export interface CaseEvidence {
  /** By repeat; null where there is no answer. */
  readonly candidate: readonly (Evidence | null)[];
  /** Null: nothing is live, and the candidate is compared with answers that all pass. */
  readonly live: readonly (Evidence | null)[] | null;
  /** Only a judge that is not calibrated decides on it. */
  readonly isAdvisory: boolean;
}

export interface CaseDecision {
  readonly state: 'green' | 'red' | 'advisory' | 'missing';
  /** Why it is red. `ban`: its violations say more. */
  readonly why: 'ban' | 'worse' | 'worse_together' | null;
  /** Answers that pass, and all. */
  readonly candidate: { readonly count: number; readonly total: number };
  readonly live: { readonly count: number; readonly total: number };
}

export interface GateDecision {
  readonly state: 'green' | 'red' | 'missing';
  readonly cases: readonly CaseDecision[];
  /** Pairs of the confirmation of all cases together, if they are worse. */
  readonly together: { readonly pairs: number; readonly candidateFails: number; readonly liveFails: number } | null;
  /** Places of the cases that need more pairs before anything is decided; empty: it is decided. */
  readonly undecided: readonly number[];
}

export interface GateFacts {
  readonly cases: readonly CaseEvidence[];
  /** Pairs of the first round. */
  readonly repeats: number;
}

/** Decide a gate. While cases are undecided, their states are what they would be without more pairs. */
export function decideGate({ cases, repeats }: GateFacts): GateDecision {
  const alpha = caseError(cases.filter(({ isAdvisory }) => !isAdvisory).length);
  const decided = cases.map((one) => decideCase(one, { repeats, alpha }));
  const together = compareTogether(cases, repeats);
  const final = decided.map(({ isOpen: _isOpen, isBehind, ...decision }): CaseDecision => {
    const isPartOfIt = together !== null && isBehind && decision.state !== 'advisory' && decision.why === null;
    return isPartOfIt ? { ...decision, state: 'red', why: 'worse_together' } : decision;
  });
  const undecided = together === null ? decided.flatMap(({ isOpen }, place) => (isOpen ? [place] : [])) : [];
  return { state: stateOf(final), cases: final, together, undecided };
}

/** Return the chance of a red that one of so many cases has for a prompt that is as good as what is live. */
export const caseError = (cases: number): number => Math.min(CASE_ERROR, GATE_ERROR / Math.max(cases, 1));

/** Missing evidence never counts as a pass; a gate without a case that can pass has none. */
function stateOf(cases: readonly CaseDecision[]): GateDecision['state'] {
  if (cases.some(({ state }) => state === 'red')) return 'red';
  const isComplete = cases.every(({ state }) => state !== 'missing') && cases.some(({ state }) => state === 'green');
  return isComplete ? 'green' : 'missing';
}

interface OpenDecision extends CaseDecision {
  /** More pairs are needed. */
  readonly isOpen: boolean;
  /** The candidate fails more often than what is live. */
  readonly isBehind: boolean;
}

function decideCase(one: CaseEvidence, { repeats, alpha }: { repeats: number; alpha: number }): OpenDecision {
  const counted = { candidate: countPasses(one.candidate), live: countPasses(one.live ?? []) };
  const decide = (state: CaseDecision['state'], why: CaseDecision['why'] = null, more: Partial<OpenDecision> = {}) => ({
    ...counted,
    state,
    why,
    isOpen: false,
    isBehind: false,
    ...more,
  });
  if (one.isAdvisory) return decide('advisory');
  if (one.candidate.includes('breaks_ban')) return decide('red', 'ban', { isBehind: true });
  const pairs = pairsOf(one);
  if (pairs.length < repeats) return decide('missing');
  const verdict = comparePairs({ ...countFails(pairs), pairs: pairs.length, repeats, alpha });
  if (verdict === 'worse') return decide('red', 'worse', { isBehind: true });
  // What is not confirmed is no pass either.
  return verdict === 'suspicious' ? decide('missing', null, { isOpen: true, isBehind: true }) : decide('green');
}

interface Comparison {
  readonly candidateFails: number;
  readonly liveFails: number;
  readonly pairs: number;
  readonly repeats: number;
  readonly alpha: number;
}

/** Compare the pairs of a case so far. `suspicious`: more pairs decide. */
export function comparePairs({
  candidateFails,
  liveFails,
  pairs,
  repeats,
  alpha,
}: Comparison): 'no_worse' | 'worse' | 'suspicious' {
  if (candidateFails <= liveFails) return 'no_worse';
  if (pairs > repeats && fisher({ candidateFails, liveFails, pairs }) <= alpha) return 'worse';
  return pairs < repeats + CONFIRMATION_PAIRS * MAX_CONFIRMATIONS ? 'suspicious' : 'no_worse';
}

type Pair = readonly [candidate: Evidence, live: Evidence];

function pairsOf({ candidate, live }: CaseEvidence): Pair[] {
  return candidate.flatMap((own, repeat) => {
    const other = live === null ? 'passes' : live[repeat];
    return own === null || other === null || other === undefined ? [] : [[own, other] as const];
  });
}

const countFails = (pairs: readonly Pair[]) => ({
  candidateFails: pairs.filter(([candidate]) => candidate !== 'passes').length,
  liveFails: pairs.filter(([, live]) => live !== 'passes').length,
});

function countPasses(evidence: readonly (Evidence | null)[]): { count: number; total: number } {
  const existing = evidence.filter((one) => one !== null);
  return { count: existing.filter((one) => one === 'passes').length, total: existing.length };
}

/**
 * Compare all cases together: many that each fail a little more often are worse as well. The first pairs raise the
 * suspicion; the next ones of the cases that were behind confirm it by themselves. Returns null unless they do.
 */
function compareTogether(cases: readonly CaseEvidence[], repeats: number): GateDecision['together'] {
  const counted = cases.filter(({ isAdvisory }) => !isAdvisory).map(pairsOf);
  const first = counted.flatMap((pairs) => pairs.slice(0, repeats));
  const next = counted.flatMap((pairs) => pairs.slice(repeats, repeats + CONFIRMATION_PAIRS));
  if (signTest(first) > SUSPICION || signTest(next) > CONFIRMATION) return null;
  return { pairs: next.length, ...countFails(next) };
}

/** Chance of so many pairs in which only the candidate fails, if either fails as often: the one-sided sign test. */
function signTest(pairs: readonly Pair[]): number {
  const fails = (one: Evidence) => one !== 'passes';
  const worse = pairs.filter(([candidate, live]) => fails(candidate) && !fails(live)).length;
  const better = pairs.filter(([candidate, live]) => !fails(candidate) && fails(live)).length;
  const all = worse + better;
  let chance = 0;
  for (let count = worse; count <= all; count++) chance += Math.exp(logChoose(all, count) - all * Math.LN2);
  return Math.min(chance, 1);
}

/**
 * Chance of at least so many failures of the candidate among all failures, if either fails as often: Fisher's exact test,
 * one-sided (Fisher, Journal of the Royal Statistical Society 98 (1935), 39–82). 6 of 6 against none: 1/924.
 */
function fisher({
  candidateFails,
  liveFails,
  pairs,
}: Pick<Comparison, 'candidateFails' | 'liveFails' | 'pairs'>): number {
  const fails = candidateFails + liveFails;
  const all = logChoose(2 * pairs, fails);
  let chance = 0;
  for (let count = candidateFails; count <= Math.min(pairs, fails); count++)
    chance += Math.exp(logChoose(pairs, count) + logChoose(pairs, fails - count) - all);
  return Math.min(chance, 1);
}

/** Natural logarithm of a binomial coefficient. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let index = 1; index <= k; index++) sum += Math.log((n - k + index) / index);
  return sum;
}
