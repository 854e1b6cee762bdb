/** Messengers that misbehave, small: nothing is lost, doubled or out of order, whatever the vendors do. */
import { expect, it } from 'vitest';
import { createWorld } from '../testing/world.ts';
import { stormOfVendors } from './vendors.ts';

it('lost answers and hooks, limits, and an hour without any vendor leave every message accounted for', {
  timeout: 180_000,
}, async () => {
  const world = await createWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '1' } });
  try {
    const passed = await stormOfVendors({ seed: 7, people: 2, rounds: 2, say: () => undefined }, world);
    expect(Object.keys(passed.faults)).toEqual(expect.arrayContaining(['lost', 'doubled', 'out of order']));
    expect(Object.values(passed.faults).flat()).toEqual([]);
    expect(passed.listed['unconfirmed']).toBe(0);
    expect(passed.refused).toBeGreaterThan(0);
    expect(passed.reached).toBeGreaterThan(20);
  } finally {
    await world.close();
  }
});
