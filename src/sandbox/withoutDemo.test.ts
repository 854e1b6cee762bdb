import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pairable, pairing } from '../channels/contract.ts';
import { installation } from '../platform/installationContract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { SANDBOX_KEYS } from './sandboxKeys.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_DEMO: 'off' } });
  admin = await world.operator();
});
afterAll(() => world.close());

it('names no operator that a sandbox without the demo does not have', async () => {
  const { body } = await admin.call(installation, {});
  expect(body).toEqual({ sandbox: true, demo_login: null, demo_password: null });
});

it('offers the free numbers of the sandbox without the demo', async () => {
  const key = SANDBOX_KEYS.find(({ vendor }) => vendor === 'Wazzup24')?.key ?? '';
  const { status, body } = await admin.call(pairing, {
    body: { vendor: 'wazzup24', channel_type: 'whatsapp', credentials: { api_key: key } },
  });
  expect(status).toBe(200);
  expect((body as Pairable[]).map(({ address }) => address)).toEqual(['79990002001']);
});
