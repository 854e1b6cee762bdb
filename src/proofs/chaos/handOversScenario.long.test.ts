/** Hand-overs under kills, in small: one note and one task each, and no quotation that nobody wrote. */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { runHandOversScenario } from './handOversScenario.ts';

it('creates one note and one task for each hand-over while two workers are killed and answers are lost', {
  timeout: 300_000,
}, async () => {
  const world = await createWorld({ serve: false });
  try {
    const result = await runHandOversScenario({ seed: 7, handOvers: 20, deaths: 3, log: () => undefined }, world);
    expect(result.violations).toEqual([]);
    expect(result).toMatchObject({ 'hand-overs': 20, notes: 20, tasks: 20 });
    expect(
      Math.min(result.kills, result['of these without an answer'], result['invented by the model']),
    ).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
