/** A vendor that cannot be reached: the sentence names the host, whoever asks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';
import { checkSession, pairing } from './contract.ts';
import { registerHook } from './hookContract.ts';

/** A port of this computer where nothing listens. */
const NOBODY = '127.0.0.1:1';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const url = `http://${NOBODY}`;
  Object.assign(world.app?.context.config.vendorUrls ?? {}, { wazzup24: url, chatpush: url });
});
afterAll(() => world.close());

it.each<'wazzup24' | 'chatpush'>(['wazzup24', 'chatpush'])('names the host of %s', async (vendor) => {
  const admin = await world.operator();
  const params = { id: world.whatsapp.id };
  const calls = [
    admin.call(pairing, { body: { vendor, channel_type: 'whatsapp', credentials: { api_key: 'any-key' } } }),
    ...(vendor === 'wazzup24' ? [admin.call(checkSession, { params }), admin.call(registerHook, { params })] : []),
  ];
  for (const answer of await Promise.all(calls))
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: `The vendor does not answer: ${NOBODY} refuses the connection` },
    });
});
