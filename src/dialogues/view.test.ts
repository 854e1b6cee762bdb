import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';
import { readView } from './read.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('the clock of a lead is its own, else the schedule’s, else UTC', async () => {
  const anna = await world.lead('Anna', { dialogue: true });
  const id = await anna.dialogueId();
  const zone = async () => (await readView(world.pool, id))?.lead_timezone;
  expect(await zone()).toBe('UTC');
  await world.pool.query("insert into schedules (product_id, timezone, config) values ($1, 'Asia/Tokyo', '{}')", [
    world.productId,
  ]);
  expect(await zone()).toBe('Asia/Tokyo');
  await world.pool.query("update leads set timezone = 'Europe/Riga' where id = $1", [anna.leadId]);
  expect(await zone()).toBe('Europe/Riga');
});
