/** Pipelines of 600 cards that people edit while they are imported: none is missing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, PIPELINE, STEPS } from '../testing/crm.ts';
import { createWorld, type World } from '../testing/world.ts';
import { syncIntegration } from './amocrmContract.ts';

const CARDS = 600;
/** Cards that are edited after each page. */
const EDITS = 40;

let world: World;
let operator: Client;
let integration: number;
beforeAll(async () => {
  world = await createWorld();
  operator = await world.operator();
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.drain();
});
afterAll(() => world.close());

/** Odd seeds: cards changed at different times; even seeds: all within one second, as after an import. */
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

it.each(seeds)('imports all of 600 cards, seed %s', { timeout: 300_000 }, async (seed) => {
  await world.control.changeSettings({ seed });
  await world.control.setFaults([
    { kind: 'hooks.drop', match: { account: 'amocrm' } },
    { kind: 'amocrm.edit_meanwhile', size: EDITS, times: 30 },
  ]);
  const start = 1_600_000_000 + seed * 100_000;
  const cards = Array.from({ length: CARDS }, (_, index) => ({
    name: `Seed ${seed}, card ${index}`,
    pipeline_id: PIPELINE,
    status_id: STEPS.initial,
    updated_at: seed % 2 === 0 ? start : start + index * 7,
  }));
  await world.control.amocrm.makeCards(cards);
  expect((await operator.call(syncIntegration, { params: { id: integration } })).status).toBe(200);
  await world.drain(280_000);
  const { rows } = await world.pool.query<{ count: number }>(
    'select count(*)::int as count from leads where name like $1',
    [`Seed ${seed}, card %`],
  );
  const fired = (await world.control.entriesOf('fault_fired')).length;
  process.stdout.write(`seed ${seed}: ${rows[0]?.count} of ${CARDS} imported, ${fired} disturbances so far\n`);
  expect(rows).toEqual([{ count: CARDS }]);
  // The next seed's cards are read alone.
  await world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'amocrm' } }]);
  for (const { id } of (await world.control.amocrm.board()).cards) await world.control.amocrm.deleteCard(id);
});
