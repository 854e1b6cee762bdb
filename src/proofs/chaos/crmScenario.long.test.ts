/**
 * The CRM scenario in small: leads and cards agree afterwards, no card has two leads, and no move was reported twice.
 */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { runCrmScenario } from './crmScenario.ts';

it('keeps leads and cards in agreement while hooks and answers are lost and the CRM is away for an hour', {
  timeout: 180_000,
}, async () => {
  const world = await createWorld({ serve: false });
  try {
    const result = await runCrmScenario({ seed: 7, cards: 4, moves: 16, deaths: 1, log: () => undefined }, world);
    expect(result.violations).toEqual([]);
    expect(result.leads).toBeGreaterThanOrEqual(4);
    expect(Math.min(result.dragged, result.moved, result.kills, result.calls)).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
