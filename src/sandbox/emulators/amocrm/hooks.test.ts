/** Hooks of the emulated amoCRM: their retry schedule, and the rule that disables an address. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { submitConsent } from '../submitConsent.ts';
import { type HookSink, hookSink, startTestEmulators, type TestEmulators } from '../testEmulators.ts';

const APP = { client_id: '44444444-2222-4333-8444-555555555555', client_secret: 'a secret of the app' };
const redirectUri = 'https://shop.example/landing';

let world: TestEmulators;
let sink: HookSink;
let token: string;
beforeEach(async () => {
  sink = await hookSink();
  world = await startTestEmulators({ amocrm: { pausesMs: [5, 5, 5, 5], offAfter: 8 } });
  const { client_id: id, client_secret: secret } = APP;
  const client = { secret, name: 'Shop', redirectUri, disconnectUri: 'https://shop.example/gone' };
  await world.control.amocrm.putClient(id, client);
  const landing = new URL(await submitConsent(`${world.url}/oauth?client_id=${id}&state=s`));
  const grant = { grant_type: 'authorization_code', code: landing.searchParams.get('code'), redirect_uri: redirectUri };
  const answer = await post('/oauth2/access_token', { ...APP, ...grant });
  token = z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
});
afterEach(async () => {
  await world.close();
  await sink.close();
});

function post(path: string, body: object): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const subscribe = async () =>
  (await post('/api/v4/webhooks', { destination: sink.url, settings: ['add_lead'] })).status;

/** Create a card, and wait until its hook is settled. */
async function makeCard(name: string): Promise<void> {
  await world.control.amocrm.makeCard({ name });
  await world.control.untilQuiet();
}

const disabled = async () =>
  (await world.control.amocrm.board()).hooks.find((one) => one.destination === sink.url)?.disabled;

test('repeats a hook five times after a 5xx and three times after another refusal', async () => {
  expect(await subscribe()).toBe(201);
  await makeCard('Taken');
  expect(sink.bodies).toHaveLength(1);
  expect(new URLSearchParams(sink.bodies[0]).get('leads[add][0][name]')).toBe('Taken');
  sink.usualAnswer = 404;
  await makeCard('Refused');
  expect(sink.bodies).toHaveLength(4);
  sink.usualAnswer = 503;
  await makeCard('Failed');
  expect(sink.bodies).toHaveLength(9);
});

test('disables an address that failed too often, until it is subscribed again', async () => {
  await subscribe();
  sink.usualAnswer = 500;
  await makeCard('One');
  // Five bad answers are not enough yet.
  expect(await disabled()).toBe(false);
  await makeCard('Two');
  expect(await disabled()).toBe(true);
  sink.usualAnswer = 200;
  const before = sink.bodies.length;
  await makeCard('Unheard');
  expect(sink.bodies).toHaveLength(before);
  expect(await subscribe()).toBe(201);
  expect(await disabled()).toBe(false);
  await makeCard('Heard');
  expect(sink.bodies).toHaveLength(before + 1);
});
