/** Small months of `npm run simulate`: each message checked against the rules, and both engines compared. */
import { expect, it } from 'vitest';
import { createRandom } from '../../sandbox/random.ts';
import { createWorld } from '../../testing/world.ts';
import { compareMonths } from './compare.ts';
import { beginMonth, simulateInMemory, simulateMonth } from './month.ts';
import { runInRealWorld } from './realWorld.ts';

const quietly = () => undefined;

it('a few days of a few leads break no rule, and both engines send the same', { timeout: 240_000 }, async () => {
  const month = { seed: 2, leads: 10, days: 4, steady: true };
  const world = await createWorld({ serve: false });
  try {
    const real = await runInRealWorld(world, beginMonth(month), (simulated) =>
      simulateMonth(month, simulated, quietly),
    );
    expect(real.violations).toEqual([]);
    // The month is not empty: it has first messages, follow-ups, answers, and a worker that was killed.
    const { firsts, pings, replies, kills } = real.counts;
    expect(Math.min(firsts, pings, replies, kills)).toBeGreaterThan(0);
    expect(compareMonths(await simulateInMemory(month, quietly), real).differences).toEqual([]);
  } finally {
    await world.close();
  }
});

it('months of many leads in memory break no rule', { timeout: 60_000 }, async () => {
  for (const seed of [1, 2, 3]) {
    const { violations, counts } = await simulateInMemory({ seed, leads: 300, days: 14 }, quietly);
    expect(violations).toEqual([]);
    expect(Math.min(counts.firsts, counts.pings, seed === 3 ? counts.forecast : counts.replies)).toBeGreaterThan(50);
  }
});

it('the same seed tells the same', () => {
  const [one, other] = [createRandom(7), createRandom(7)];
  expect([1, 2, 3].map(() => one.next())).toEqual([1, 2, 3].map(() => other.next()));
});
