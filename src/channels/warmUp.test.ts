/** A new number's ramp in its channel's config. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';
import { channels } from './contract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it.each([
  [{ start: 0, step: 3 }, 'ramp.start'],
  [{ start: 5, step: -1 }, 'ramp.step'],
  [{ start: 5 }, 'ramp.step'],
  ['5, 8, 11', 'ramp'],
])('refuses the warm-up %j at the wrong field, and changes nothing', async (ramp, where) => {
  const admin = await world.operator();
  const params = { id: world.whatsapp.id };
  const update = { config: { ramp: { start: 5, step: 3 }, note: 'ours' } };
  expect((await admin.call(channels.replace, { params, body: update })).status).toBe(200);
  const refused = await admin.call(channels.replace, { params, body: { config: { ramp } } });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain(where.split('.').at(-1));
  expect((await admin.call(channels.get, { params })).body).toMatchObject(update);
});
