/** When the bot's replies are sent in a product with working hours, depending on its setting `reply_hours`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { product, products } from '../products/contract.ts';
import { createOutreachWorld, DAY, type OutreachWorld } from '../testing/outreachWorld.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());

it('sends replies at any hour when configured, and first messages and follow-ups in working hours only', async () => {
  const admin = await world.operator('root');
  const params = { id: world.productId };
  await world.setFirstMessages({ initial_message_send_at: '03:00' });
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  await world.setWorkingHours('09:00', '18:00');
  await world.advanceClockTo('19:00');
  const anna = await world.lead('Anna');
  const boris = await world.createLead('Boris');
  await anna.writes('Hello?');
  await world.drain();
  expect(await anna.sees()).toEqual(['lead: Hello?']);

  const { id: _, created_at: __, ...stored } = product.parse((await admin.call(products.get, { params })).body);
  expect(stored.reply_hours).toBe('working');
  expect((await admin.call(products.replace, { params, body: { ...stored, reply_hours: 'any' } })).status).toBe(200);
  await world.drain();
  expect(await anna.sees()).toEqual(['lead: Hello?', expect.stringMatching(/^us: /)]);

  await world.advanceClock(DAY - 3600);
  // The due times of both first messages and follow-ups were at night.
  const sent = await world.sentMessages();
  expect(new Set(sent.map((one) => one.lead))).toEqual(new Set(['Anna', 'Boris']));
  for (const { at } of sent) expect(['09', '10']).toContain(at.slice(11, 13));
  expect((await boris.sees())[0]).toBe('us: Good day!');
});
