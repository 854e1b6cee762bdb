/** How often the interval of a corrected rate covers the true one. */
import { expect, it } from 'vitest';
import { uniform } from '../../experiments/arms.ts';
import { correctedRates } from './correctedRates.ts';

it('the 95 % interval of a corrected rate covers the true one in nearly as many cases', () => {
  const truth = { better: 0.5, worse: 0.2, tie: 0.3 };
  let covered = 0;
  const runs = 100;
  for (let run = 0; run < runs; run += 1) {
    const draw = (name: string) => {
      const at = uniform(`${run}/${name}/truth`);
      const label = at < truth.better ? 'better' : at < truth.better + truth.worse ? 'worse' : 'tie';
      // The judge errs in a quarter of the pairs, toward ties.
      const judged = uniform(`${run}/${name}/judge`) < 0.75 ? label : label === 'tie' ? 'better' : 'tie';
      return { label, judged } as const;
    };
    const labelled = Array.from({ length: 60 }, (_, index) => draw(`labelled ${index}`));
    const judged = Array.from({ length: 150 }, (_, index) => draw(`judged ${index}`).judged);
    const rate = correctedRates({ answers: ['better', 'worse', 'tie'], judged, labelled, seed: `${run}` })?.get(
      'better',
    );
    if (rate && rate.low <= truth.better && truth.better <= rate.high) covered += 1;
  }
  // Measured: 91.
  expect(covered).toBeGreaterThanOrEqual(0.88 * runs);
});
