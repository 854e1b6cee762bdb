import { afterAll, beforeAll, expect, it } from 'vitest';
import { pauseOutreach } from '../products/contract.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

it('tells the consoles of a product when its outreach is paused', async () => {
  const [anna, boris] = [await world.operator('anna'), await world.operator('boris')];
  const leaving = new AbortController();
  const stream = await boris.fetch(`/v1/live?product_id=${world.productId}`, { signal: leaving.signal });
  let received = '';
  const ended = (async () => {
    for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  expect((await anna.call(pauseOutreach, { params: { id: world.productId } })).status).toBe(200);
  await world.waitUntil(
    () => received.includes(`data: ${JSON.stringify({ type: 'product', id: world.productId })}`),
    'the console is told',
  );
  leaving.abort();
  await ended;
});
