/** Change beyond noise: nothing is found where nothing changed, and what was planted ranks first. */
import { expect, it, test } from 'vitest';
import { createRandom } from '../../sandbox/random.ts';
import { regressions } from '../../testing/noisyAnswers.ts';
import { changedTurns, foundAmongFirstTen, LOUD, PLANTED, QUIET, replayInMemory } from '../../testing/noisyReplay.ts';

it('a model that says the same in other words has not changed beyond noise against itself', () => {
  const turns = replayInMemory(createRandom(1), QUIET, new Map());
  expect(changedTurns(turns)).toEqual([]);
  expect(turns.every(({ change }) => change?.score === 0 && change.noise > 0)).toBe(true);
});

it('a model that often leaves out its question and adds facts hardly changes beyond noise against itself', () => {
  const turns = replayInMemory(createRandom(2), LOUD, new Map());
  expect(changedTurns(turns).length).toBeLessThanOrEqual(turns.length / 20);
});

test.each(regressions)('planted in 5 of 50 dialogues, %s is among the first ten results in all five', (kind) => {
  const planted = new Map(PLANTED.map((dialogueId) => [dialogueId, kind] as const));
  expect(foundAmongFirstTen(replayInMemory(createRandom(101), QUIET, planted))).toBe(5);
});

it('five kinds of regressions, each in one of 50 dialogues, are among the first ten results', () => {
  const kinds = ['price', 'question', 'language', 'hand_over', 'link'] as const;
  const planted = new Map(kinds.map((kind, index) => [PLANTED[index] ?? 0, kind]));
  expect(foundAmongFirstTen(replayInMemory(createRandom(3), QUIET, planted))).toBe(5);
});
