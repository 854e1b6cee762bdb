/**
 * One small month of `npm run simulate`: the whole engine with random events, each message checked against the rules.
 */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { createRandom } from '../harness/random.ts';
import { simulateMonth } from './month.ts';

it('a few days of a few leads break no rule', { timeout: 180_000 }, async () => {
  const world = await createWorld({ serve: false });
  try {
    const result = await simulateMonth({ seed: 2, leads: 10, days: 4 }, world, () => undefined);
    expect(result.violations).toEqual([]);
    // The month is not empty: it has first messages, follow-ups, answers, and a worker that was killed.
    expect(Math.min(result.firsts, result.pings, result.replies, result.kills)).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});

it('the same seed tells the same', () => {
  const [one, other] = [createRandom(7), createRandom(7)];
  expect([1, 2, 3].map(() => one.next())).toEqual([1, 2, 3].map(() => other.next()));
});
