/** Misbehaving messengers, in small: no message is lost, duplicated or out of order, whatever the vendors do. */
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';
import { runVendorsScenario } from './vendorsScenario.ts';

it('accounts for every message after lost answers and hooks, rate limits, and an hour without any vendor', {
  timeout: 180_000,
}, async () => {
  const world = await createWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '1' } });
  try {
    const result = await runVendorsScenario({ seed: 7, people: 2, rounds: 2, log: () => undefined }, world);
    expect(Object.keys(result.faults)).toEqual(expect.arrayContaining(['lost', 'doubled', 'out of order']));
    expect(Object.values(result.faults).flat()).toEqual([]);
    expect(result.listed['unconfirmed']).toBe(0);
    expect(result.refused).toBeGreaterThan(0);
    expect(result.reached).toBeGreaterThan(20);
  } finally {
    await world.close();
  }
});
