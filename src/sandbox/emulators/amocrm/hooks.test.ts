/** Hooks of the emulated amoCRM: their retry schedule, and the rule that disables an address. */
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestEmulators, type TestEmulators, waitUntil } from '../testEmulators.ts';

const APP = { client_id: '44444444-2222-4333-8444-555555555555', client_secret: 'a secret of the app' };
const REDIRECT = 'https://shop.example/landing';

let world: TestEmulators;
let server: Server;
/** Status of the answers to the hooks. */
let status: number;
let bodies: string[];
let destination: string;
let token: string;
beforeEach(async () => {
  status = 200;
  bodies = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', () => {
      bodies.push(body);
      response.statusCode = status;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  destination = `http://127.0.0.1:${z.object({ port: z.int() }).parse(server.address()).port}/hooks`;
  world = await startTestEmulators({ amocrm: { pausesMs: [5, 5, 5, 5], offAfter: 8 } });
  token = await letIn();
});
afterEach(async () => {
  await world.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Obtain a pair of tokens as a client of the API does. */
async function letIn(): Promise<string> {
  const { client_id: id, client_secret: secret } = APP;
  const client = { secret, name: 'Shop', redirectUri: REDIRECT, disconnectUri: 'https://shop.example/gone' };
  await world.control.amocrm.putClient(id, client);
  const form = new URLSearchParams({ client_id: id, state: 's', decision: 'allow' });
  const allowed = await fetch(`${world.url}/oauth`, { method: 'POST', body: form, redirect: 'manual' });
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code');
  const answer = await fetch(`${world.url}/oauth2/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...APP, grant_type: 'authorization_code', code, redirect_uri: REDIRECT }),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

async function subscribe(): Promise<number> {
  const answer = await fetch(`${world.url}/api/v4/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ destination, settings: ['add_lead'] }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const disabled = async (): Promise<boolean | undefined> =>
  (await world.control.amocrm.board()).hooks.find((one) => one.destination === destination)?.disabled;
const quiet = () => waitUntil(async () => (await world.control.quiet()).quiet, 'every hook is settled');

test('repeats a hook five times after a 5xx and three times after another refusal', async () => {
  expect(await subscribe()).toBe(201);
  await world.control.amocrm.makeCard({ name: 'Taken' });
  await quiet();
  expect(bodies).toHaveLength(1);
  expect(new URLSearchParams(bodies[0]).get('leads[add][0][name]')).toBe('Taken');
  status = 404;
  await world.control.amocrm.makeCard({ name: 'Refused' });
  await quiet();
  expect(bodies).toHaveLength(4);
  status = 503;
  await world.control.amocrm.makeCard({ name: 'Failed' });
  await quiet();
  expect(bodies).toHaveLength(9);
});

test('disables an address that failed too often, until it is subscribed again', async () => {
  await subscribe();
  status = 500;
  await world.control.amocrm.makeCard({ name: 'One' });
  await quiet();
  // Five bad answers are not enough yet.
  expect(await disabled()).toBe(false);
  await world.control.amocrm.makeCard({ name: 'Two' });
  await quiet();
  expect(await disabled()).toBe(true);
  status = 200;
  const before = bodies.length;
  await world.control.amocrm.makeCard({ name: 'Unheard' });
  await quiet();
  expect(bodies).toHaveLength(before);
  expect(await subscribe()).toBe(201);
  expect(await disabled()).toBe(false);
  await world.control.amocrm.makeCard({ name: 'Heard' });
  await quiet();
  expect(bodies).toHaveLength(before + 1);
});
