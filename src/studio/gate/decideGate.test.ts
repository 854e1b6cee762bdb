import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulateGate } from '../../testing/simulateGate.ts';
import {
  type CaseEvidence,
  CONFIRMATION_PAIRS,
  caseError,
  comparePairs,
  decideGate,
  type Evidence,
  MAX_CONFIRMATIONS,
} from './decideGate.ts';

const passes = (count: number): Evidence[] => Array.from({ length: count }, () => 'passes' as const);
const fails = (count: number): Evidence[] => Array.from({ length: count }, () => 'fails' as const);

const evidence = (
  candidate: (Evidence | null)[],
  live: (Evidence | null)[] | null,
  isAdvisory = false,
): CaseEvidence => ({
  candidate,
  live,
  isAdvisory,
});
const decide = (...cases: CaseEvidence[]) => decideGate({ cases, repeats: 3 });
const GOOD = evidence(passes(3), passes(3));

describe('a case', () => {
  it('is red at once for one violated ban, also if what is live violates it as often', () => {
    const found = decide(GOOD, evidence(['passes', 'breaks_ban', null], ['breaks_ban', null, null]));
    expect(found).toMatchObject({
      state: 'red',
      undecided: [],
      cases: [{ state: 'green' }, { state: 'red', why: 'ban' }],
    });
  });

  it('is never red before it was tried again, whatever it fails', () => {
    const found = decide(GOOD, evidence(fails(3), passes(3)));
    expect(found).toMatchObject({ state: 'missing', undecided: [1], cases: [{}, { state: 'missing' }] });
    expect(decide(GOOD, evidence(fails(6), passes(6)))).toMatchObject({ state: 'red', undecided: [] });
    // Not even if the first round alone would be clear.
    expect(decideGate({ cases: [evidence(fails(10), passes(10))], repeats: 10 })).toMatchObject({
      state: 'missing',
      undecided: [0],
    });
  });

  it('is green if the candidate fails no more often than what is live', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 3, maxLength: 12 }), (pairs) => {
        const of = (side: 0 | 1) => pairs.map((pair): Evidence => (pair[side] ? 'passes' : 'fails'));
        const [candidate, live] = [of(0), of(1)];
        const count = (all: Evidence[]) => all.filter((one) => one === 'fails').length;
        const state = decide(evidence(candidate, live)).cases[0]?.state;
        if (count(candidate) <= count(live)) expect(state).toBe('green');
        if (state === 'red') expect(count(candidate)).toBeGreaterThan(count(live));
      }),
    );
  });

  it('is missing without all of its answers, which never counts as a pass', () => {
    const [first] = [evidence(['passes', null, 'passes'], passes(3))];
    expect(decide(first)).toMatchObject({ state: 'missing', undecided: [] });
    expect(decide(GOOD, first)).toMatchObject({ state: 'missing' });
    expect(decide(GOOD, evidence(passes(3), ['passes', 'passes', null]))).toMatchObject({ state: 'missing' });
    expect(decide(GOOD, evidence([], []))).toMatchObject({ state: 'missing' });
    expect(decide()).toMatchObject({ state: 'missing' });
  });

  it('is compared with answers that all pass if nothing is live', () => {
    expect(decide(evidence(passes(3), null))).toMatchObject({ state: 'green' });
    expect(decide(evidence(fails(3), null))).toMatchObject({ undecided: [0] });
    expect(decide(evidence(fails(6), null))).toMatchObject({ state: 'red' });
  });

  it('does not decide a gate if it is advisory, and does not make one green alone', () => {
    const advisory = evidence(fails(3), passes(3), true);
    expect(decide(GOOD, advisory)).toMatchObject({ state: 'green', undecided: [], cases: [{}, { state: 'advisory' }] });
    expect(decide(advisory)).toMatchObject({ state: 'missing' });
  });

  it('is tried again three times at most, and then counts as no worse', () => {
    const half = (count: number) => [...fails(count / 2 + 1), ...passes(count / 2 - 1)];
    const at = (count: number) => decide(evidence(half(count), [...fails(count / 2 - 1), ...passes(count / 2 + 1)]));
    expect(at(6)).toMatchObject({ undecided: [0] });
    expect(at(12)).toMatchObject({ state: 'green', undecided: [] });
  });
});

describe('all cases together', () => {
  it('are worse when many fail a little more often, which no single case shows', () => {
    const slightly = evidence(['fails', 'passes', 'passes', 'fails', 'passes', 'passes'], passes(6));
    const cases = Array.from({ length: 20 }, () => slightly);
    const found = decideGate({ cases, repeats: 3 });
    expect(found).toMatchObject({
      state: 'red',
      undecided: [],
      together: { pairs: 60, candidateFails: 20, liveFails: 0 },
    });
    expect(new Set(found.cases.map(({ why }) => why))).toEqual(new Set(['worse_together']));
    // The first pairs alone are only a suspicion.
    const first = cases.map(({ candidate, live }) => evidence(candidate.slice(0, 3), live?.slice(0, 3) ?? null));
    expect(decideGate({ cases: first, repeats: 3 })).toMatchObject({
      together: null,
      undecided: first.map((_c, at) => at),
    });
  });
});

/** Chance that a case is red, exactly: `p` and `q` are the chances that what is live and the candidate fail. */
function chanceOfRed({ p, q, cases, repeats }: { p: number; q: number; cases: number; repeats: number }): number {
  const alpha = caseError(cases);
  const binomial = (n: number, k: number, share: number) => {
    let chance = share ** k * (1 - share) ** (n - k);
    for (let index = 1; index <= k; index++) chance *= (n - k + index) / index;
    return chance;
  };
  let states = new Map([['0 0', 1]]);
  const add = (more: number) => {
    const next = new Map<string, number>();
    for (const [state, chance] of states) {
      const [candidate = 0, live = 0] = state.split(' ').map(Number);
      for (let own = 0; own <= more; own++)
        for (let other = 0; other <= more; other++) {
          const key = `${candidate + own} ${live + other}`;
          const weight = chance * binomial(more, own, q) * binomial(more, other, p);
          next.set(key, (next.get(key) ?? 0) + weight);
        }
    }
    states = next;
  };
  add(repeats);
  let red = 0;
  for (let round = 0, pairs = repeats; round <= MAX_CONFIRMATIONS; round++, pairs += CONFIRMATION_PAIRS) {
    for (const [state, chance] of states) {
      const [candidateFails = 0, liveFails = 0] = state.split(' ').map(Number);
      const verdict = comparePairs({ candidateFails, liveFails, pairs, repeats, alpha });
      if (verdict === 'worse') red += chance;
      if (verdict !== 'suspicious') states.delete(state);
    }
    add(CONFIRMATION_PAIRS);
  }
  return red;
}

describe('the rule', () => {
  it('makes fewer than 5 of 100 gates of an equal prompt red, whatever share of the answers is good', () => {
    const shares = Array.from({ length: 19 }, (_one, index) => (index + 1) / 20);
    for (const cases of [1, 5, 30, 100])
      for (const repeats of [1, 3, 10])
        for (const p of shares) {
          const ofOne = chanceOfRed({ p, q: p, cases, repeats });
          expect(1 - (1 - ofOne) ** cases, `${cases} cases, ${repeats} repeats, ${p}`).toBeLessThan(0.05);
        }
  });

  it('finds a case that always fails, and one that fails nine times of ten', () => {
    for (const cases of [1, 30, 100]) expect(chanceOfRed({ p: 0.03, q: 1, cases, repeats: 3 })).toBeGreaterThan(0.999);
    for (const cases of [1, 30]) expect(chanceOfRed({ p: 0.03, q: 0.9, cases, repeats: 3 })).toBeGreaterThan(0.98);
  });
});

describe('a hundred gates', () => {
  const THIRTY = Array.from({ length: 30 }, () => 0.97);

  it('of the same prompt with 30 cases that pass 97 % are red at most five times', () => {
    const reds = Array.from({ length: 100 }, (_one, seed) => simulateGate({ candidate: THIRTY, live: THIRTY, seed }));
    expect(reds.filter(({ state }) => state === 'red').length).toBeLessThanOrEqual(5);
    expect(reds.every(({ state }) => state !== 'missing')).toBe(true);
  });

  it('of a prompt that always fails one case are red at least 95 times', () => {
    const faulty = THIRTY.with(7, 0);
    const gates = Array.from({ length: 100 }, (_one, seed) => simulateGate({ candidate: faulty, live: THIRTY, seed }));
    expect(gates.filter(({ state }) => state === 'red').length).toBeGreaterThanOrEqual(95);
  });
});
