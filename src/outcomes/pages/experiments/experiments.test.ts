import { expect, it } from 'vitest';
import type { Experiment, ExperimentResults } from '../../experimentContract.ts';
import { bodyOf, comparedPart, draftOf, faultsOf, newArm, withKind } from './experimentDraft.ts';
import { durationSentence, durationText, forecast } from './experimentForecast.ts';
import { baseRateOf } from './useBaseRate.ts';
import { winnerOf } from './winner.ts';

const INPUT = { weights: [1, 1], baseRate: 0.2, difference: 0.1, part: 1, days: 7, perWeek: 100 };

it('plans the size of the statistics, more for more arms and for unequal weights', () => {
  expect(forecast(INPUT)).toEqual({ analyses: [60, 120, 180, 240, 300], total: 600, weeks: 7 });
  expect(forecast({ ...INPUT, weights: [1, 1, 1] })?.total).toBeGreaterThan(900);
  expect(forecast({ ...INPUT, weights: [3, 1] })?.total).toBeGreaterThan(600);
  expect(forecast({ ...INPUT, part: 0.5 })?.weeks).toBe(13);
  expect(forecast({ ...INPUT, perWeek: 0 })?.weeks).toBeNull();
  for (const wrong of [{ baseRate: 0 }, { difference: 0.8 }, { weights: [1] }, { weights: [1, 0] }, { part: 0 }])
    expect(forecast({ ...INPUT, ...wrong })).toBeNull();
});

it('says how long an experiment takes, and which difference is found in reasonable time', () => {
  expect(durationSentence(INPUT)).toEqual({ text: 'At 100 new leads a week this takes about 7 weeks.', isLong: false });
  expect(durationSentence({ ...INPUT, perWeek: 20, difference: 0.05 })).toEqual({
    text: 'At 20 new leads a week this takes more than 2 years; a difference of 20 points needs 10 weeks.',
    isLong: true,
  });
  expect(durationSentence({ ...INPUT, perWeek: 0 })?.isLong).toBe(true);
  expect([0.1, 1.9, 2, 12.4, 13, 60, 120].map(durationText)).toEqual([
    '1 day',
    '14 days',
    '2 weeks',
    '12 weeks',
    '3 months',
    '14 months',
    'more than 2 years',
  ]);
});

it('estimates the base rate and the leads of a week since the first of them', () => {
  const week = (value: string, attempts: number, qualified: number) => ({
    value,
    attempts,
    answered: 0,
    qualified,
    success: 0,
  });
  const known = { metric: 'qualified', filter: { product_id: 1 }, from: '2026-08-26', today: '2026-11-22' } as const;
  const weeks = [week('2026-11-09', 20, 4), week('2026-11-16', 20, 6)];
  expect(baseRateOf(weeks, known)).toMatchObject({ attempts: 40, count: 10, rate: 0.25, perWeek: 20, isTooFew: false });
  // A week that begins before the range counts from the range on.
  expect(baseRateOf([week('2026-08-24', 89, 0)], known).perWeek).toBeCloseTo(7);
  expect(baseRateOf([], known)).toMatchObject({ attempts: 0, rate: null, perWeek: 0, isTooFew: true });
});

it('names what is missing beside its field, and takes a complete draft', () => {
  const draft = { ...draftOf(null), name: 'Greeting' };
  expect([...faultsOf(bodyOf(draft, 7, 0.2))]).toEqual([['arms.1.content', 'Write the text']]);
  const [control, variant] = draft.arms;
  if (!control || !variant) throw new Error('A draft has two arms');
  const written = { ...draft, arms: [control, { ...variant, text: 'Hello' }] };
  expect(faultsOf(bodyOf(written, 7, 0.2)).size).toBe(0);
  expect([...faultsOf(bodyOf(written, 7, null)).keys()]).toEqual(['base_rate']);
  const twins = { ...written, arms: [control, { ...variant, name: 'A', text: 'Hello' }] };
  expect([...faultsOf(bodyOf(twins, 7, 0.2))]).toEqual([['arms.1.name', 'Another arm is named A']]);
  const choosing = { ...written, arms: [control, { ...variant, source: 'prepared_message' as const }] };
  expect([...faultsOf(bodyOf(choosing, 7, 0.2))]).toEqual([['arms.1.content', 'Choose a prepared message']]);
});

it('keeps what a kind allows when the kind changes, and what an arm does not use is no change', () => {
  const draft = { ...draftOf(null), metric: 'answered' as const, base_rate: 0.4 };
  const prompts = withKind(draft, 'prompt');
  expect(prompts.arms.map(({ source }) => source)).toEqual(['current', 'prompt']);
  expect(prompts).toMatchObject({ metric: 'qualified', base_rate: null });
  const typed = { ...prompts, arms: prompts.arms.map((arm) => ({ ...arm, text: 'unused' })) };
  expect(comparedPart(typed)).toEqual(comparedPart(prompts));
  expect(newArm(draft.arms, 'text').name).toBe('C');
});

it('finds the winner of the last analysis, also where a variant was stopped before', () => {
  const counts = [
    { n: 180, successes: 36 },
    { n: 180, successes: 70 },
    { n: 100, successes: 45 },
  ];
  const results = (decision: 'better' | 'too_early', stoppedAt: string | null) => {
    const arms = ['A', 'B', 'C'].map((name) => ({ name, weight: 1, content: { source: 'current' as const } }));
    const experiment: Partial<Experiment> = {
      arms,
      analyses: 5,
      per_arm: 300,
      base_rate: 0.2,
      difference: 0.1,
      arm_states: [null, null, stoppedAt].map((stopped_at) => ({
        content: { kind: 'text', text: '', prepared_message_id: null },
        stopped_at,
        stopped_reason: null,
      })),
    };
    const at = '2026-11-20T10:00:00.000Z';
    const history = [{ analysis: 3, at, arms: counts, decision, sentence: '' }];
    return { experiment, history } as Partial<ExperimentResults> as ExperimentResults;
  };
  expect(winnerOf(results('better', '2026-11-10T10:00:00.000Z'))).toBe(1);
  expect(winnerOf(results('too_early', null))).toBeNull();
});
