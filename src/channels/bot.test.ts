/** A Telegram bot cannot write to someone who never wrote to it; the vendor reports whether a channel is a bot. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { type Channel, channels, createProductChannel, type Pairable, pairing } from './contract.ts';

const KEY = 'a-wazzup24-key-with-a-bot';
const REF = '5f0b3d1e-1111-4111-8111-000000000001';
const BOT_CHANNEL = { vendor: 'wazzup24', channel_type: 'telegram' } as const;

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator();
  await world.control.putAccount(KEY, {
    channels: [{ channelId: REF, transport: 'telegram', plainId: 'shop_bot', name: 'Shop bot' }],
  });
});
afterAll(() => world.close());

async function configOf(id: number): Promise<Channel['config']> {
  return ((await admin.call(channels.get, { params: { id } })).body as Channel).config;
}

it('sends no first message through a bot, whatever its config', async () => {
  const pairable = await admin.call(pairing, { body: { ...BOT_CHANNEL, credentials: { api_key: KEY } } });
  expect((pairable.body as Pairable[]).map((one) => one.ref)).toEqual([REF]);
  const config = { transport: 'tgapi', note: 'new' };
  const body = { ...BOT_CHANNEL, name: 'Bot', credentials: { api_key: KEY, channel_id: REF }, config };
  const { id } = (await admin.call(channels.create, { body })).body as Channel;
  await world.waitUntil(
    async () => (await configOf(id))['transport'] === 'telegram',
    'the vendor tells that it is a bot',
  );
  await admin.call(channels.replace, { params: { id }, body: { config: { note: 'changed' } } });
  expect(await configOf(id)).toEqual({ note: 'changed', transport: 'telegram' });

  await world.pool.query('delete from product_channels where product_id = $1', [world.productId]);
  await admin.call(createProductChannel, { body: { product_id: world.productId, channel_id: id } });
  await world.setFirstMessages({});
  await world.advanceClockTo('08:00');
  const vera = await world.createLead('Vera', { messenger: 'telegram' });
  await world.advanceClock(6 * HOUR);
  expect([await world.reasonOf(vera.leadId), await vera.sees()]).toEqual(['no_link', []]);
});
