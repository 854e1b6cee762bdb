/** The CRM in a small storm: leads and cards agree afterwards, no card has two leads, and no move was told twice. */
import { expect, it } from 'vitest';
import { createWorld } from '../testing/world.ts';
import { stormOfCrm } from './crm.ts';

it('hooks lost, doubled and shuffled, answers lost, and an hour without the CRM: leads and cards agree', {
  timeout: 180_000,
}, async () => {
  const world = await createWorld({ serve: false });
  try {
    const passed = await stormOfCrm({ seed: 7, cards: 4, moves: 16, kills: 1, say: () => undefined }, world);
    expect(passed.violations).toEqual([]);
    expect(passed.leads).toBeGreaterThanOrEqual(4);
    expect(Math.min(passed.dragged, passed.moved, passed.kills, passed.calls)).toBeGreaterThan(0);
  } finally {
    await world.close();
  }
});
