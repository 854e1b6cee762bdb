/**
 * A third-party client against the emulated amoCRM. It speaks only https to the account's own host and port 443, so a
 * TLS front is placed before the emulator. The front uses a key that both sides know, since creating a certificate
 * needs another tool.
 */
import { randomBytes } from 'node:crypto';
import https from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, createServer, type Server } from 'node:tls';
import { Client } from 'amocrm-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { submitConsent } from '../submitConsent.ts';
import { startTestEmulators, type TestEmulators } from '../testEmulators.ts';

const HOST = 'demo.amocrm.ru';
const APP = { client_id: '22222222-2222-4333-8444-555555555555', client_secret: 'a secret of the app' };
const REDIRECT = 'https://shop.example/landing';
const TALKING = 60_003;

const key = randomBytes(32);
const PSK = { ciphers: 'PSK-AES256-GCM-SHA384', maxVersion: 'TLSv1.2' } as const;

/** Start the front, which passes TLS traffic on to the emulator. */
async function startFront(port: number): Promise<Server> {
  const server = createServer({ ...PSK, pskCallback: () => key }, (socket) => {
    const upstream = connectTcp(port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    socket.once('close', () => upstream.destroy());
    for (const one of [socket, upstream]) one.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Names of the hosts that the client asked for. */
const hosts = new Set<string>();

/** Return an agent that connects to the front for every host name. */
const agentTo = (port: number) =>
  Object.assign(new https.Agent({ keepAlive: false }), {
    createConnection: ({ servername = '' }: { servername?: string }) => {
      hosts.add(servername);
      const pskCallback = () => ({ psk: key, identity: 'test' });
      return connectTls({ ...PSK, host: '127.0.0.1', port, pskCallback, checkServerIdentity: () => undefined });
    },
  });

let world: TestEmulators;
let front: Server;
let client: Client;
const usual = https.globalAgent;
beforeEach(async () => {
  // The package prints every refusal.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  world = await startTestEmulators();
  front = await startFront(Number(new URL(world.url).port));
  https.globalAgent = agentTo(z.object({ port: z.int() }).parse(front.address()).port);
  const app = { secret: APP.client_secret, name: 'Somebody else', redirectUri: REDIRECT };
  await world.control.amocrm.putClient(APP.client_id, { ...app, disconnectUri: 'https://shop.example/gone' });
  client = new Client({ domain: HOST, auth: { ...APP, redirect_uri: REDIRECT, state: 'of our own' } });
});
afterEach(async () => {
  https.globalAgent = usual;
  await new Promise((resolve) => front.close(resolve));
  await world.close();
});

/** Open the consent page at the client's address, allow as a person, and connect. Returns the landing address. */
async function connect(): Promise<URL> {
  const asked = new URL(client.auth.getUrl());
  const consentPage = await fetch(`${world.url}${asked.pathname}${asked.search}`);
  expect([consentPage.status, await consentPage.text()]).toEqual([200, expect.stringContaining('Somebody else')]);
  const landing = new URL(await submitConsent(`${world.url}/oauth${asked.search}`));
  client.auth.setCode(landing.searchParams.get('code') ?? '');
  expect(await client.connection.connect()).toBe(true);
  return landing;
}

test('gives a third-party client a token pair after the consent, and refreshes it once', async () => {
  const landed = await connect();
  expect(`${landed.origin}${landed.pathname}`).toBe(REDIRECT);
  expect(landed.searchParams.get('state')).toBe('of our own');
  expect(client.token.getValue()).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 });
  const { data } = await client.request.get<{ subdomain: string }>('/api/v4/account');
  expect(data.subdomain).toBe('demo');
  expect([...hosts]).toEqual([HOST]);
  // Code and refresh token are valid only once.
  await expect(client.token.fetch()).rejects.toMatchObject({ data: { hint: 'Authorization code has been revoked' } });
  const old = client.token.getValue();
  if (!old) throw new Error('There is no token');
  await client.token.refresh();
  expect(client.token.getValue()?.refresh_token).not.toBe(old.refresh_token);
  expect((await client.leads.get()).getData()).toEqual([]);
  client.token.setValue(old);
  await expect(client.token.refresh()).rejects.toMatchObject({ data: { hint: 'Token has been revoked' } });
});

test('lets a third-party client create, read, change and page through leads', async () => {
  await connect();
  const [createdCard] = await client.leads.create([{ name: 'A kitchen', price: 4200, status_id: TALKING }]);
  const { cards } = await world.control.amocrm.board();
  expect(cards).toMatchObject([{ id: createdCard?.id, name: 'A kitchen', price: 4200, status_id: TALKING }]);
  const read = await client.leads.getById(createdCard?.id ?? 0);
  if (read === null) throw new Error('Nothing was read');
  read.price = 5000;
  await read.save();
  const [saved] = (await world.control.amocrm.board()).cards;
  expect(saved).toMatchObject({ name: 'A kitchen', price: 5000, status_id: TALKING });
  const names = Array.from({ length: 6 }, (_none, index) => `Card ${index}`);
  await client.leads.create(names.map((name) => ({ name })));
  const pages = await client.leads.get({ limit: 3 });
  const seen = [pages.getData().map((one) => one.name)];
  while (pages.hasNext()) {
    await pages.next();
    seen.push(pages.getData().map((one) => one.name));
  }
  expect(seen).toEqual([['A kitchen', ...names.slice(0, 2)], names.slice(2, 5), names.slice(5)]);
});
