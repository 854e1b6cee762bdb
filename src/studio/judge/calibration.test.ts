/** When a judge is calibrated, and what its judgements are then worth. */
import { describe, expect, it } from 'vitest';
import type { Preference } from '../judgeContract.ts';
import type { JudgedPair } from '../store/pairs.ts';
import { calibrationOf, judgeName } from './calibration.ts';
import { preferenceOf } from './question.ts';

const JUDGE = { vendor: 'chatgpt', model: 'gpt-5' } as const;

function pairs(count: number, order: Preference, reverse: Preference, more: Partial<JudgedPair> = {}): JudgedPair[] {
  const both = { order, reverse };
  return Array.from({ length: count }, (_, index) => ({
    run_id: 1,
    label: null,
    judged: preferenceOf(both),
    judged_order: order,
    judged_reverse: reverse,
    is_candidate_first: index % 2 === 0,
    ...more,
  }));
}
const agreed = (count: number) => [
  ...pairs(count / 2, 'first', 'second', { label: 'first' }),
  ...pairs(count / 2, 'second', 'first', { label: 'second' }),
];
const calibrate = (all: readonly JudgedPair[], runId: number | null = null) => calibrationOf(JUDGE, all, runId);

describe('a judge', () => {
  it('is calibrated by 60 labels, not by 59', () => {
    expect(calibrate(agreed(58))).toMatchObject({ labels: 58, is_calibrated: false, kappa: 1 });
    expect(calibrate(agreed(60))).toMatchObject({ labels: 60, is_calibrated: true, agreement: { rate: 1 } });
  });

  it('is not calibrated by labels that it agrees with as often as by chance', () => {
    const always = [
      ...pairs(50, 'first', 'second', { label: 'first' }),
      ...pairs(14, 'first', 'second', { label: 'second' }),
    ];
    expect(calibrate(always)).toMatchObject({ labels: 64, is_calibrated: false, kappa: 0 });
  });

  it('has no figures without judgements', () => {
    expect(calibrate([], 1)).toMatchObject({
      labels: 0,
      agreement: null,
      kappa: null,
      first_preferred: null,
      has_position_bias: false,
      corrected: null,
    });
  });

  it('is another one with another version of its question', () => {
    expect(judgeName(JUDGE)).toMatch(/^chatgpt\/gpt-5 v\d+$/);
  });
});

describe('the rates of a run', () => {
  it('are corrected by how often the judge was wrong about the candidate, whatever its place', () => {
    // In a fifth of the pairs whose candidate is worse, the judge prefers it: it likes what the candidate does.
    const ofCandidate = (judged: 'better' | 'worse', label: 'better' | 'worse', count: number, runId: number) =>
      Array.from({ length: count }, (_, index): JudgedPair => {
        const isFirst = index % 2 === 0;
        const place = (one: 'better' | 'worse') => ((one === 'better') === isFirst ? 'first' : 'second');
        const [own] = pairs(1, place(judged), place(judged) === 'first' ? 'second' : 'first');
        return { ...(own as JudgedPair), run_id: runId, label: place(label), is_candidate_first: isFirst };
      });
    const labels = [...ofCandidate('better', 'better', 40, 1), ...ofCandidate('worse', 'worse', 32, 1)];
    const wrong = ofCandidate('better', 'worse', 8, 1);
    const run = [...ofCandidate('better', 'better', 20, 2), ...ofCandidate('worse', 'worse', 80, 2)].map((pair) => ({
      ...pair,
      label: null,
    }));
    const { corrected } = calibrate([...labels, ...wrong, ...run], 2);
    // By hand: (0.2 + 0.8 - 1) / (1 + 0.8 - 1) = 0.
    expect(corrected?.better.rate).toBeLessThan(0.05);
    expect(corrected?.worse.rate).toBeGreaterThan(0.95);
    expect(corrected?.better.high).toBeLessThan(0.25);
  });
});
