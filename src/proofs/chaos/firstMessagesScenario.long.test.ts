/** First messages under kills, in small: limit and interval hold, no lead is written to twice, and no lead is lost. */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { runFirstMessagesScenario } from './firstMessagesScenario.ts';

it('keeps the daily limit and the interval while two workers with wrong clocks are killed', {
  timeout: 300_000,
}, async () => {
  const world = await createWorld({ serve: false });
  try {
    const result = await runFirstMessagesScenario(
      { seed: 7, skews: [10, -10], leads: 18, limit: 5, interval: 60, days: 2, deaths: 4, log: () => undefined },
      world,
    );
    expect(result.violations).toEqual([]);
    expect(result).toMatchObject({ perDay: [5, 5], afterLimit: 8 });
    expect(result.kills).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
