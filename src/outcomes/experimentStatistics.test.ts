import { describe, expect, it } from 'vitest';
import { createRandom } from '../sandbox/random.ts';
import { decisionSentence } from './experimentSentences.ts';
import {
  type ArmCount,
  decide,
  type ExperimentPlan,
  planExperiment,
  reachedAnalysis,
  tooEarly,
} from './experimentStatistics.ts';

const PLAN = planExperiment({ baseRate: 0.2, difference: 0.1 });
const count = (successes: number, n: number): ArmCount => ({ n, successes });
const sentence = (decision: ReturnType<typeof decide>, names = ['A', 'B']): string => decisionSentence(decision, names);

describe('a plan', () => {
  it('has 300 attempts per arm from 20 to 30 %, 1,125 from 20 to 25 %', () => {
    expect(PLAN).toEqual({ arms: 2, difference: 0.1, alpha: 0.05, analyses: 5, perArm: 300 });
    // 1,091.9 attempts for a single analysis, times 1.0284, in five equal parts.
    expect(planExperiment({ baseRate: 0.2, difference: 0.05 }).perArm).toBe(1125);
    expect(planExperiment({ baseRate: 0.2, difference: 0.05, analyses: 1 }).perArm).toBe(1092);
  });

  it('grows with the number of variants, and is refused for more than four arms', () => {
    const sizes = [2, 3, 4].map((arms) => planExperiment({ baseRate: 0.2, difference: 0.1, arms }).perArm);
    expect(sizes).toEqual([300, 360, 395]);
    for (const arms of [1, 5, 2.5])
      expect(() => planExperiment({ baseRate: 0.2, difference: 0.1, arms })).toThrow(RangeError);
    expect(() => planExperiment({ baseRate: 0.95, difference: 0.1 })).toThrow(RangeError);
  });

  it('reaches an analysis by the harmonic mean of control and variant, the variant with least counting', () => {
    const reached = (...sizes: number[]): number =>
      reachedAnalysis(
        PLAN,
        sizes.map((n) => count(0, n)),
      );
    expect(reached(60, 60)).toBe(1);
    expect(reached(59, 60)).toBe(0);
    expect(reached(50, 75)).toBe(1);
    expect(reached(300, 299)).toBe(4);
    expect(reached(400, 5000)).toBe(5);
    expect(reached(300, 300, 120)).toBe(2);
    expect(reached(0, 0)).toBe(0);
    expect(reachedAnalysis(PLAN, [count(0, 300), count(0, 300), { ...count(0, 120), stopped: true }])).toBe(5);
  });
});

describe('the decision', () => {
  it('names the better arm, its rates and the interval of the difference', () => {
    const decision = decide({ plan: PLAN, analysis: 5, arms: [count(66, 300), count(93, 300)] });
    expect(decision).toMatchObject({ kind: 'better', arm: 1, other: 0, rate: 0.31, otherRate: 0.22, level: 0.95 });
    expect(sentence(decision)).toBe('B is better (31 % against 22 %, 95 % interval of the difference 2 to 16)');
    const control = decide({ plan: PLAN, analysis: 5, arms: [count(93, 300), count(66, 300)] });
    expect(control).toEqual({ ...decision, arm: 0, other: 1 });
    expect(sentence(control)).toMatch(/^A is better/);
  });

  it('is stricter at an earlier analysis, with the same rates', () => {
    const decision = decide({ plan: PLAN, analysis: 2, arms: [count(26, 120), count(38, 120)] });
    expect(decision).toEqual({ kind: 'too_early', more: 360, untilNext: 120, worse: [] });
    expect(sentence(decision)).toBe('too early: about 360 more attempts');
    // The analysis that was made needs no more: the next one does.
    const arms = [count(27, 125), count(34, 125)];
    expect(tooEarly({ plan: PLAN, analysis: 2, arms }, [])).toMatchObject({ more: 350, untilNext: 110 });
    expect(decide({ plan: PLAN, analysis: 2, arms: [count(24, 120), count(52, 120)] }).kind).toBe('better');
  });

  it('excludes at the last analysis what the interval excludes, which may be more or less than was planned', () => {
    const plan = { ...PLAN, perArm: 1500 };
    const precise = decide({ plan, analysis: 5, arms: [count(300, 1500), count(310, 1500)] });
    expect(precise).toEqual({ kind: 'no_difference', lessThan: 4, worse: [] });
    expect(sentence(precise)).toBe('no difference of 4 points or more');
    const promising = decide({ plan: PLAN, analysis: 5, arms: [count(60, 300), count(79, 300)] });
    expect(sentence(promising)).toBe('no difference of 14 points or more');
    const rare = decide({
      plan: { ...PLAN, perArm: 20_000 },
      analysis: 5,
      arms: [count(200, 20_000), count(200, 20_000)],
    });
    expect(sentence(rare)).toBe('no difference of 0.3 points or more');
  });

  it('ends early when the intervals exclude the planned difference in both directions', () => {
    const even = decide({ plan: PLAN, analysis: 4, arms: [count(48, 240), count(49, 240)] });
    expect(even).toEqual({ kind: 'no_difference', lessThan: 9, worse: [] });
    expect(decide({ plan: PLAN, analysis: 4, arms: [count(48, 240), count(56, 240)] }).kind).toBe('too_early');
    expect(decide({ plan: PLAN, analysis: 1, arms: [count(12, 60), count(12, 60)] }).kind).toBe('too_early');
  });

  it('says before the first analysis how many attempts are missing, whatever the rates', () => {
    const decision = decide({ plan: PLAN, analysis: 0, arms: [count(0, 5), count(10, 10)] });
    expect(decision).toMatchObject({ kind: 'too_early', more: 586, untilNext: 106 });
    expect(sentence(decision)).toBe('too early: about 590 more attempts');
    const large = decide({ plan: { ...PLAN, perArm: 1125 }, analysis: 0, arms: [count(0, 0), count(0, 0)] });
    expect(sentence(large)).toBe('too early: about 2,300 more attempts');
  });

  it('counts the missing attempts by the arms’ shares', () => {
    const arms = [count(0, 0), count(0, 0)];
    // Three quarters of 800 and a quarter: the harmonic mean is 300.
    expect(decide({ plan: PLAN, analysis: 0, arms, shares: [3, 1] })).toMatchObject({ more: 800 });
    expect(() => decide({ plan: PLAN, analysis: 0, arms, shares: [1, 0] })).toThrow(RangeError);
  });

  it('shows a tenth of a point where whole points would hide the difference', () => {
    const plan = { ...PLAN, perArm: 20_000 };
    const decision = decide({ plan, analysis: 5, arms: [count(200, 20_000), count(260, 20_000)] });
    expect(sentence(decision)).toBe('B is better (1.3 % against 1.0 %, 95 % interval of the difference 0.1 to 0.5)');
  });

  it('refuses an analysis that there are too few attempts for, and counts that are none', () => {
    const arms = [count(20, 100), count(30, 100)];
    for (const analysis of [2, 6, -1, 0.5]) expect(() => decide({ plan: PLAN, analysis, arms })).toThrow(RangeError);
    for (const wrong of [count(101, 100), count(-1, 100), count(1.5, 100), { ...count(1, 100), stopped: true }])
      expect(() => decide({ plan: PLAN, analysis: 1, arms: [count(20, 100), wrong] })).toThrow(RangeError);
    expect(() => decide({ plan: PLAN, analysis: 1, arms: [count(20, 100)] })).toThrow(RangeError);
    const stopped = { ...count(20, 100), stopped: true };
    expect(() => decide({ plan: PLAN, analysis: 1, arms: [stopped, count(20, 100)] })).toThrow(RangeError);
  });
});

describe('with several variants, the decision', () => {
  const plan = planExperiment({ baseRate: 0.2, difference: 0.1, arms: 3 });
  const names = ['A', 'B', 'C'];
  const at = (analysis: number, ...successes: number[]): ReturnType<typeof decide> =>
    decide({ plan, analysis, arms: successes.map((one) => count(one, (plan.perArm / 5) * analysis)) });

  it('is the variant with the highest rate of those that beat the control', () => {
    const decision = at(5, 73, 125, 118);
    expect(decision).toMatchObject({ kind: 'better', arm: 1, other: 0 });
    expect(sentence(decision, names)).toMatch(/^B is better than A \(35 % against 20 %, /);
  });

  it('is the control when all variants are worse; one that is worse alone is named', () => {
    expect(at(5, 125, 73, 70)).toMatchObject({ kind: 'better', arm: 0, other: 1 });
    expect(at(5, 110, 73, 111)).toMatchObject({ kind: 'no_difference', worse: [1] });
    expect(sentence(at(5, 110, 73, 111), names)).toMatch(/^no difference of \d+ points or more; B is worse than A$/);
    expect(at(3, 80, 80, 30)).toMatchObject({ kind: 'too_early', worse: [2] });
  });

  it('leaves a stopped variant out of comparison, and out of the attempts that are missing', () => {
    const arms = [count(66, 300), count(0, 10), count(82, 300)].map((arm, index) => ({ ...arm, stopped: index === 1 }));
    expect(decide({ plan, analysis: 4, arms })).toMatchObject({
      kind: 'too_early',
      more: 2 * (plan.perArm - 300),
      worse: [],
    });
  });
});

/** Run one experiment with leads drawn one after the other, until a decision or until a variant is worse. */
function simulate(
  plan: ExperimentPlan,
  rates: readonly number[],
  random: ReturnType<typeof createRandom>,
): ReturnType<typeof decide> {
  const arms = rates.map(() => count(0, 0));
  let done = 0;
  for (;;) {
    const arm = random.integer(0, rates.length - 1);
    const chosen = arms[arm];
    if (chosen === undefined) throw new Error(`No arm ${arm}`);
    chosen.n += 1;
    if (random.chance(rates[arm] ?? 0)) chosen.successes += 1;
    const analysis = reachedAnalysis(plan, arms);
    if (analysis === done) continue;
    done = analysis;
    const decision = decide({ plan, analysis, arms });
    if (decision.kind !== 'too_early' || decision.worse.length > 0) return decision;
  }
}

describe('simulated experiments', () => {
  const winners = (runs: number, plan: ExperimentPlan, rates: readonly number[], seed: number): number => {
    const random = createRandom(seed);
    const decisions = Array.from({ length: runs }, () => simulate(plan, rates, random));
    return decisions.filter((decision) => decision.kind === 'better' || decision.worse.length > 0).length / runs;
  };

  it('declare at most 6 % winners in 1,000 with equal arms and five analyses', () => {
    expect(winners(1000, PLAN, [0.2, 0.2], 1)).toBeLessThanOrEqual(0.06);
  });

  it('declare a better or worse arm in at most 6 % of 1,000 with four equal arms', () => {
    const plan = planExperiment({ baseRate: 0.2, difference: 0.1, arms: 4 });
    expect(winners(1000, plan, [0.2, 0.2, 0.2, 0.2], 2)).toBeLessThanOrEqual(0.06);
  });

  it('find 20 → 30 % at 300 per arm in at least 78 %', () => {
    expect(winners(2000, PLAN, [0.2, 0.3], 3)).toBeGreaterThanOrEqual(0.78);
  });

  it('have winners whose interval misses the true difference in at most 5 % of 2,000', () => {
    const random = createRandom(5);
    const decisions = Array.from({ length: 2000 }, () => simulate(PLAN, [0.2, 0.3], random));
    const wrong = decisions.filter((decision) => {
      if (decision.kind !== 'better') return false;
      const difference = decision.arm === 1 ? 0.1 : -0.1;
      return decision.interval.lower > difference || decision.interval.upper < difference;
    });
    expect(wrong.length / 2000).toBeLessThanOrEqual(0.05);
  });

  it('would declare 30 to 41 % winners with equal arms, looked at every ten leads without a plan', () => {
    const random = createRandom(4);
    const isWinnerDeclared = (): boolean => {
      const arms = [count(0, 0), count(0, 0)] as const;
      for (let lead = 1; lead <= 600; lead += 1) {
        const arm = random.pick(arms);
        arm.n += 1;
        if (random.chance(0.2)) arm.successes += 1;
        if (lead % 10 === 0 && Math.abs(pooledZ(...arms)) > 1.96) return true;
      }
      return false;
    };
    const declared = Array.from({ length: 2000 }, isWinnerDeclared).filter(Boolean).length / 2000;
    expect(declared).toBeGreaterThan(0.3);
    expect(declared).toBeLessThan(0.41);
  });
});

function pooledZ(one: ArmCount, other: ArmCount): number {
  const rate = (one.successes + other.successes) / (one.n + other.n);
  const error = Math.sqrt(rate * (1 - rate) * (1 / one.n + 1 / other.n));
  return error > 0 ? (one.successes / one.n - other.successes / other.n) / error : 0;
}

describe('all outcomes of an experiment with 60 attempts in each arm between analyses, by their exact probabilities', () => {
  it.each([0.02, 0.05, 0.2])('declare at most 5 % winners when both rates are %d', (rate) => {
    expect(probabilityOf('better', [rate, rate])).toBeLessThan(0.05);
  });

  it('declare 5.5 % winners at 50 %, where the binomial’s steps are most unlike the normal distribution', () => {
    expect(probabilityOf('better', [0.5, 0.5])).toBeCloseTo(0.055, 3);
  });

  it('find 20 → 30 % in 80 %', () => {
    expect(probabilityOf('better', [0.2, 0.3])).toBeCloseTo(0.7995, 3);
  });

  it('exclude the planned difference before the end in a third of experiments with equal arms', () => {
    expect(probabilityOf('no_difference', [0.2, 0.2], 4)).toBeCloseTo(0.36, 2);
    expect(probabilityOf('no_difference', [0.2, 0.3], 4)).toBeLessThan(0.01);
  });
});

/** Sum the probabilities of all pairs of successes that end in a decision, up to an analysis. */
function probabilityOf(kind: ReturnType<typeof decide>['kind'], rates: readonly [number, number], last = 5): number {
  const steps = rates.map((rate) => binomial(60, rate));
  let total = 0;
  // open[i][j]: the probability that nothing was decided and the arms have i and j successes.
  let open = [[1]];
  for (let analysis = 1; analysis <= last; analysis += 1) {
    const rows = open.map((row) => convolve(row, steps[1] ?? []));
    const columns = transpose(transpose(rows).map((column) => convolve(column, steps[0] ?? [])));
    const n = analysis * 60;
    open = columns.map((row, first) =>
      row.map((probability, second) => {
        if (probability < 1e-15) return 0;
        const decision = decide({ plan: PLAN, analysis, arms: [count(first, n), count(second, n)] });
        if (decision.kind === 'too_early') return probability;
        if (decision.kind === kind) total += probability;
        return 0;
      }),
    );
  }
  return total;
}

function binomial(n: number, rate: number): number[] {
  const probabilities = [(1 - rate) ** n];
  for (let k = 1; k <= n; k += 1)
    probabilities.push(((probabilities[k - 1] ?? 0) * (n - k + 1) * rate) / (k * (1 - rate)));
  return probabilities;
}

function convolve(one: readonly number[], other: readonly number[]): number[] {
  const result = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [i, a] of one.entries())
    if (a > 0) for (const [j, b] of other.entries()) result[i + j] = (result[i + j] ?? 0) + a * b;
  return result;
}

function transpose(rows: readonly (readonly number[])[]): number[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? 0));
}
