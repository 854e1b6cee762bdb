/** A daily budget under kills, in small: the vendor bills at most one estimate more, and all of it is counted. */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { runBudgetScenario } from './budgetScenario.ts';

it('keeps a daily budget while two workers are killed', { timeout: 300_000 }, async () => {
  const world = await createWorld({ serve: false });
  try {
    const result = await runBudgetScenario({ seed: 7, calls: 12, deaths: 3, log: () => undefined }, world);
    expect(result.violations).toEqual([]);
    expect(result.kills).toBe(3);
    expect(result['times the budget was spent and raised']).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
