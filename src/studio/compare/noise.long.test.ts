/** The figures of change beyond noise, over many seeds. Each run has 500 turns. */
import { describe, expect, it, test } from 'vitest';
import { createRandom } from '../../sandbox/random.ts';
import { regressions } from '../../testing/noisyAnswers.ts';
import { changedTurns, foundAmongFirstTen, LOUD, PLANTED, QUIET, replayInMemory } from '../../testing/noisyReplay.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

describe.each([
  // Measured: no turn of 6,000, and 359 of 360 planted.
  ['says the same in other words', QUIET, { falseShare: 0.001, foundShare: 0.98 }],
  // Measured: 129 turns of 6,000, and 351 of 360 planted.
  ['often leaves out its question and adds facts', LOUD, { falseShare: 0.03, foundShare: 0.95 }],
])('a model that %s', (_name, noise, limits) => {
  it('hardly changes beyond noise against itself', () => {
    const runs = SEEDS.map((seed) => replayInMemory(createRandom(seed), noise, new Map()));
    const shares = runs.map((turns) => changedTurns(turns).length / turns.length);
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeLessThanOrEqual(limits.falseShare);
  });

  test('shows nearly all planted regressions among the first ten results', () => {
    const found = SEEDS.flatMap((seed) =>
      regressions.map((kind) => {
        const planted = new Map(PLANTED.map((dialogueId) => [dialogueId, kind] as const));
        return foundAmongFirstTen(replayInMemory(createRandom(100 + seed), noise, planted));
      }),
    );
    const all = found.length * PLANTED.length;
    expect(found.reduce((sum, count) => sum + count, 0) / all).toBeGreaterThanOrEqual(limits.foundShare);
  });
});
