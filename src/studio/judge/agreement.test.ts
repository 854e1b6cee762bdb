/** Figures of a judge against published and hand-computed ones. */
import { describe, expect, it, test } from 'vitest';
import { agreementOf, cohensKappa, type Labelled, positionBiasOf, signTest } from './agreement.ts';
import { correctedRates } from './correctedRates.ts';

/** Pairs from a table of counts: rows are what the judge said, columns what the operator did. */
function pairsOf<Answer extends string>(answers: readonly Answer[], counts: readonly (readonly number[])[]) {
  return answers.flatMap((judged, row) =>
    answers.flatMap((label, column) =>
      Array.from({ length: counts[row]?.[column] ?? 0 }, (): Labelled<Answer> => ({ judged, label })),
    ),
  );
}

const YES_NO = ['yes', 'no'] as const;
const THREE = ['better', 'worse', 'tie'] as const;

describe('Cohen’s kappa', () => {
  // Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions (2003), table 18.1: 89 % agreement, kappa 0.68.
  const DIAGNOSES = pairsOf(THREE, [
    [75, 1, 4],
    [5, 4, 1],
    [0, 0, 10],
  ]);

  it('is the published one for two raters and three answers', () => {
    expect(agreementOf(DIAGNOSES)?.rate).toBeCloseTo(0.89, 12);
    expect(cohensKappa(DIAGNOSES)).toBeCloseTo((0.89 - 0.66) / (1 - 0.66), 12);
    expect(cohensKappa(DIAGNOSES)?.toFixed(2)).toBe('0.68');
  });

  test.each([
    // The same agreement of 60 % with other totals (Sim & Wright, Physical Therapy 85, 2005, discuss such cases).
    [
      [
        [45, 15],
        [25, 15],
      ],
      0.6,
      '0.1304',
    ],
    [
      [
        [25, 35],
        [5, 35],
      ],
      0.6,
      '0.2593',
    ],
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.7,
      '0.4000',
    ],
    [
      [
        [10, 0],
        [0, 10],
      ],
      1,
      '1.0000',
    ],
    [
      [
        [0, 10],
        [10, 0],
      ],
      0,
      '-1.0000',
    ],
    [
      [
        [25, 25],
        [25, 25],
      ],
      0.5,
      '0.0000',
    ],
  ])('is what a calculation by hand gives: %j', (counts, agreement, kappa) => {
    const pairs = pairsOf(YES_NO, counts);
    expect(agreementOf(pairs)?.rate).toBeCloseTo(agreement, 12);
    expect(cohensKappa(pairs)?.toFixed(4)).toBe(kappa);
  });

  it('is not defined without pairs, or if both always say the same', () => {
    expect(cohensKappa([])).toBeNull();
    expect(
      cohensKappa(
        pairsOf(YES_NO, [
          [10, 0],
          [0, 0],
        ]),
      ),
    ).toBeNull();
  });
});

it('agreement has Wilson’s interval', () => {
  // 81 of 263: Newcombe, Statistics in Medicine 17 (1998), 857–872, table I: 0.2553 to 0.3662.
  const pairs = pairsOf(YES_NO, [
    [81, 182],
    [0, 0],
  ]);
  const { low, high } = agreementOf(pairs) ?? { low: 0, high: 0 };
  expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.2553', '0.3662']);
  expect(agreementOf([])).toBeNull();
});

describe('the lean to a position', () => {
  const orders = (order: 'first' | 'second' | 'tie', reverse: 'first' | 'second' | 'tie', count: number) =>
    Array.from({ length: count }, () => ({ order, reverse }));

  it('of a judge that always prefers the first is found', () => {
    expect(positionBiasOf(orders('first', 'first', 20))).toMatchObject({ rate: 1, high: 1, isBeyondChance: true });
    expect(positionBiasOf(orders('second', 'second', 20))).toMatchObject({ rate: 0, low: 0, isBeyondChance: true });
  });

  it('is none for a judge that prefers the same answer in both orders, or says tie', () => {
    const consistent = [...orders('first', 'second', 9), ...orders('second', 'first', 4), ...orders('tie', 'tie', 3)];
    expect(positionBiasOf(consistent)).toMatchObject({ rate: 0.5, isBeyondChance: false });
    expect(positionBiasOf([])).toBeNull();
  });

  it('needs six pairs that lean the same way, or more if some lean the other way', () => {
    const isFound = (toFirst: number, toSecond: number) =>
      positionBiasOf([...orders('first', 'first', toFirst), ...orders('tie', 'second', toSecond)])?.isBeyondChance;
    // By hand: 2 · ½⁵ = 0.0625, 2 · ½⁶ = 0.03125; with one of eight the other way 2 · 9 / 256 = 0.0703, of nine 0.0391.
    expect([isFound(5, 0), isFound(6, 0), isFound(7, 1), isFound(8, 1)]).toEqual([false, true, false, true]);
    expect(signTest(5, 0)).toBeCloseTo(0.0625, 12);
    expect(signTest(1, 8)).toBeCloseTo(20 / 512, 12);
    expect(signTest(0, 0)).toBe(1);
    expect(signTest(10, 10)).toBe(1);
  });
});

describe('rates corrected for the errors of the judge', () => {
  it('are those of Rogan and Gladen for two answers', () => {
    // Sensitivity 0.9, specificity 0.8, and 40 % judged yes: (0.4 + 0.8 − 1) / (0.9 + 0.8 − 1) = 0.2857.
    const labelled = pairsOf(YES_NO, [
      [900, 200],
      [100, 800],
    ]);
    const judged = pairsOf(YES_NO, [
      [40, 0],
      [60, 0],
    ]).map((pair) => pair.judged);
    const rates = correctedRates({ answers: YES_NO, judged, labelled, seed: 'a' });
    expect(rates?.get('yes')?.rate).toBeCloseTo(0.2857, 2);
    expect((rates?.get('yes')?.rate ?? 0) + (rates?.get('no')?.rate ?? 0)).toBeCloseTo(1, 9);
  });

  it('stay from 0 to 1 where the formula would leave that range', () => {
    const labelled = pairsOf(YES_NO, [
      [90, 20],
      [10, 80],
    ]);
    const judged = pairsOf(YES_NO, [
      [5, 0],
      [95, 0],
    ]).map((pair) => pair.judged);
    const rate = correctedRates({ answers: YES_NO, judged, labelled, seed: 'a' })?.get('yes');
    expect(rate?.rate).toBeGreaterThanOrEqual(0);
    expect(rate?.rate).toBeLessThan(0.01);
    expect(rate?.low).toBeGreaterThanOrEqual(0);
  });

  it('have intervals that are repeatable, and narrower with more labels', () => {
    const widthWith = (labels: number): number => {
      const labelled = pairsOf(THREE, [
        [labels, 1, 1],
        [1, labels, 1],
        [1, 1, labels],
      ]);
      const judged = pairsOf(THREE, [
        [60, 0, 0],
        [30, 0, 0],
        [10, 0, 0],
      ]).map((pair) => pair.judged);
      const once = correctedRates({ answers: THREE, judged, labelled, seed: 'a' })?.get('better');
      expect(correctedRates({ answers: THREE, judged, labelled, seed: 'a' })?.get('better')).toEqual(once);
      return (once?.high ?? 1) - (once?.low ?? 0);
    };
    expect(widthWith(60)).toBeLessThan(widthWith(5));
  });

  it('are not known without labels or judgements', () => {
    const labelled = pairsOf(YES_NO, [
      [1, 0],
      [0, 1],
    ]);
    expect(correctedRates({ answers: YES_NO, judged: [], labelled, seed: '' })).toBeNull();
    expect(correctedRates({ answers: YES_NO, judged: ['yes'], labelled: [], seed: '' })).toBeNull();
  });
});
