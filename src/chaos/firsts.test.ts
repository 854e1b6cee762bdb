/** First messages under kills, small: limit and interval hold, nobody is written to twice, nobody is lost. */
import { expect, it } from 'vitest';
import { createWorld } from '../testing/world.ts';
import { stormOfFirsts } from './firsts.ts';

it('two workers, one by ten minutes fast and one slow, keep limit and interval however often they die', {
  timeout: 300_000,
}, async () => {
  const world = await createWorld({ serve: false });
  try {
    const passed = await stormOfFirsts(
      {
        seed: 7,
        workers: [10, -10],
        leads: 18,
        limit: 5,
        intervalSeconds: 60,
        days: 2,
        kills: 4,
        say: () => undefined,
      },
      world,
    );
    expect(passed.violations).toEqual([]);
    expect(passed).toMatchObject({ perDay: [5, 5], rest: 8 });
    expect(passed.kills).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
