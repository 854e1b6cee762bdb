/** Connecting, tested against attackers: hosts, states, sessions, secrets, signatures. */
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, followRedirect, startConnection, submitConsent } from '../testing/crm.ts';
import { tableFingerprints } from '../testing/everyResource.ts';
import { createWorld, type World } from '../testing/world.ts';
import { allowedHost } from './amocrm/host.ts';
import { isSignedBy } from './amocrm/signature.ts';
import { disconnectIntegration, integrationState, readIntegrationState } from './amocrmContract.ts';

let world: World;
let operator: Client;
beforeAll(async () => {
  world = await createWorld();
  operator = await world.operator();
});
afterAll(() => world.close());

/** Count our calls that reached amoCRM. */
const calls = async (): Promise<number> =>
  (await world.control.entriesOf('amocrm')).filter((one) => one.change.what === 'called').length;

const SIGNED = {
  secret: 's3cr3t',
  client: '11111111-2222-4333-8444-555555555555',
  account: 12_345_678,
  signature: '960e3a6499441fe690965a7270c346a3ea87d2b92dbe9278faaf958580462de9',
};

const HOSTILE = [
  'evil.example',
  'amocrm.ru',
  '.amocrm.ru',
  'demo.amocrm.ru.evil.example',
  'evil.example/demo.amocrm.ru',
  'evil.example?demo.amocrm.ru',
  'evil.example#demo.amocrm.ru',
  'evil.example#.amocrm.ru',
  'user@demo.amocrm.ru',
  'demo.amocrm.ru@evil.example',
  'demo.amocrm.ru:8443',
  'demo.amocrm.ru/',
  'demo.amocrm.ru\\@evil.example',
  'demo.amocrm.ru%2F.evil.example',
  'https://demo.amocrm.ru',
  '//demo.amocrm.ru',
  'demo_1.amocrm.ru',
  'DEMO.amocrm.ru',
  'demo.amocrm.RU',
  'demo.sub.amocrm.ru',
  'demo.amocrm.ru.',
  ' demo.amocrm.ru',
  'demo.amocrm.ru ',
  'demo.amocrm.ru\n',
  '\ndemo.amocrm.ru',
  'demo.amocrm.ru\r\nHost: evil.example',
  'demo.amocrm.ru\u0000.evil.example',
  'démo.amocrm.ru',
  'demo.аmocrm.ru',
  'demo.amocrm.ruu',
  'demoamocrm.ru',
  'demo-amocrm.ru',
  '-demo.amocrm.ru',
  'demo-.amocrm.ru',
  'demo.kommo.com.evil.example',
  'kommo.com',
  'localhost',
  '169.254.169.254',
  '[::1]',
  '127.0.0.1:1',
  '0x7f.1',
  'evil.amocrm.ru.localhost',
  `${'a'.repeat(64)}.amocrm.ru`,
  '',
];

it('gives amoCRM the address of an existing logo', async () => {
  const logo = new URL(await startConnection(world, operator)).searchParams.get('logo') ?? '';
  const answer = await fetch(logo);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, answer.headers.get('content-type'), bytes.subarray(1, 4).toString()]).toEqual([
    200,
    'image/png',
    'PNG',
  ]);
  // The logo is shown on amoCRM's pages.
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
});

describe('the host that amoCRM names', () => {
  const context = (mode: 'sandbox' | 'production') => ({
    mode,
    config: { vendorUrls: { amocrm: 'http://127.0.0.1:4567' } } as never,
  });

  it("must be one label under the vendor's domains, or the emulator's in the sandbox", () => {
    for (const host of ['demo.amocrm.ru', 'a.amocrm.com', 'my-shop-1.kommo.com'])
      expect(allowedHost(context('production'), host)).toBe(host);
    for (const host of HOSTILE) expect([host, allowedHost(context('production'), host)]).toEqual([host, null]);
    expect(allowedHost(context('production'), '127.0.0.1:4567')).toBeNull();
    expect(allowedHost(context('sandbox'), '127.0.0.1:4567')).toBe('127.0.0.1:4567');
  });

  it('changes and sends nothing when it is invalid in forty ways', async () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
    const location = new URL(await submitConsent(await startConnection(world, operator)));
    const before = await tableFingerprints(world.pool);
    const callCount = await calls();
    for (const host of HOSTILE) {
      location.searchParams.set('referer', host);
      const response = await followRedirect(operator, location.href);
      expect([host, response.status]).toEqual([host, host.includes('\u0000') ? 422 : 400]);
      expect(response.text).not.toContain('<script>');
    }
    expect(await calls()).toBe(callCount);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });
});

describe('a state', () => {
  it('is valid once, for its session and an accessible company', async () => {
    const otherOperator = await world.operator('stranger');
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Other') returning id",
    );
    const member = await world.operator('member', [Number(rows[0]?.id)]);
    const location = await submitConsent(await startConnection(world, operator));
    const before = await tableFingerprints(world.pool);
    const callCount = await calls();
    for (const who of [otherOperator, member, world.anonymousClient()])
      expect((await followRedirect(who, location)).status).toBe(400);
    expect(await tableFingerprints(world.pool)).toEqual(before);
    expect(await calls()).toBe(callCount);
    expect((await followRedirect(operator, location)).status).toBe(200);
    const settled = await tableFingerprints(world.pool);
    const secondResponse = await followRedirect(operator, location);
    expect([secondResponse.status, secondResponse.text]).toEqual([400, expect.stringContaining('not begun here')]);
    expect((await tableFingerprints(world.pool)).crm_integrations).toEqual(settled.crm_integrations);
    // A member cannot start a connection for a company they have no access to.
    const foreign = await member.fetch(`/v1/amocrm/oauth/get_redirect?company_id=${world.companyId}`);
    expect(foreign.status).toBe(404);
  });

  it('completes once when two landings race', async () => {
    const location = await submitConsent(await startConnection(world, operator));
    const both = await Promise.all([followRedirect(operator, location), followRedirect(operator, location)]);
    expect(both.map((one) => one.status).sort((a, b) => a - b)).toEqual([200, 400]);
  });

  it('is stored as a hash and expires after half an hour', async () => {
    const url = new URL(await startConnection(world, operator));
    const state = url.searchParams.get('state') ?? '';
    expect(Buffer.from(state, 'base64url').length).toBe(32);
    const { rows } = await world.pool.query('select * from amocrm_states');
    expect(JSON.stringify(rows)).not.toContain(state);
    const location = await submitConsent(url.href);
    await world.pool.query("update amocrm_states set created_at = created_at - interval '31 minutes'");
    expect((await followRedirect(operator, location)).status).toBe(400);
  });

  it('accepts the secrets once, and refuses a second or unknown post', async () => {
    const state = new URL(await startConnection(world, operator)).searchParams.get('state') ?? '';
    const post = (body: object) =>
      world.anonymousClient().fetch('/v1/amocrm/oauth/secrets', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
        body: JSON.stringify(body),
      });
    const posted = { client_id: 'a', client_secret: 'b', state, name: 'x', scopes: ['crm'] };
    const first = await post(posted);
    expect([first.status, await first.text()]).toEqual([200, '']);
    // The connection made above is still being synced.
    await world.drain();
    const before = await tableFingerprints(world.pool);
    expect((await post({ ...posted, client_secret: 'c' })).status).toBe(404);
    expect((await post({ ...posted, state: 'A'.repeat(43) })).status).toBe(404);
    expect((await post({ state })).status).toBe(422);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('accepts the secrets as a form', async () => {
    const state = new URL(await startConnection(world, operator)).searchParams.get('state') ?? '';
    const body = new URLSearchParams({ client_id: 'a', client_secret: 'b', state });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await world
      .anonymousClient()
      .fetch('/v1/amocrm/oauth/secrets', { method: 'POST', headers, body: body.toString() });
    expect(answer.status).toBe(200);
  });

  it('accepts the secrets of one of two posts that race, and none after the landing', async () => {
    const post = (body: object) =>
      world.anonymousClient().fetch('/v1/amocrm/oauth/secrets', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const state = new URL(await startConnection(world, operator)).searchParams.get('state') ?? '';
    const race = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => post({ client_id: name, client_secret: name, state })),
    );
    expect(race.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
    const url = await startConnection(world, operator);
    expect((await followRedirect(operator, await submitConsent(url))).status).toBe(200);
    await world.drain();
    const before = await tableFingerprints(world.pool);
    const late = { client_id: 'x', client_secret: 'y', state: new URL(url).searchParams.get('state') ?? '' };
    expect((await post(late)).status).toBe(404);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('connects nothing when a parameter comes twice, or as a list or object', async () => {
    const location = new URL(await submitConsent(await startConnection(world, operator)));
    await world.drain();
    const before = await tableFingerprints(world.pool);
    const callCount = await calls();
    const { search } = location;
    const own = location.searchParams.get('referer') ?? '';
    for (const query of [
      `${search}&referer=evil.example`,
      `?referer=evil.example&${search.slice(1)}`,
      search.replace('referer=', 'referer[]='),
      search.replace('state=', 'state[]='),
      `?state=${'A'.repeat(43)}&${search.slice(1)}`,
      search.replace('state=', 'State='),
      `${search}&code=other`,
      search.replace(encodeURIComponent(own), `${encodeURIComponent(own)}%2C`),
    ]) {
      const answer = await operator.fetch(`${location.pathname}${query}`);
      expect([query, [400, 422].includes(answer.status)]).toEqual([query, true]);
    }
    expect(await calls()).toBe(callCount);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('is worth nothing to an operator who has lost the company since', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Lost') returning id",
    );
    const companyId = Number(rows[0]?.id);
    const member = await world.operator('leaver', [companyId]);
    const location = await submitConsent(await startConnection(world, member, companyId));
    await world.pool.query('delete from operator_companies where company_id = $1', [companyId]);
    const callCount = await calls();
    expect((await followRedirect(member, location)).status).toBe(400);
    expect(await calls()).toBe(callCount);
    const { rows: integrations } = await world.pool.query('select 1 from crm_integrations where company_id = $1', [
      companyId,
    ]);
    expect(integrations).toEqual([]);
  });

  it("connects nothing on a refusal, and guides a landing from amoCRM's catalogue", async () => {
    const before = (await tableFingerprints(world.pool)).crm_integrations;
    const denied = await followRedirect(operator, await submitConsent(await startConnection(world, operator), 'deny'));
    expect([denied.status, denied.text]).toEqual([400, expect.stringContaining('was not allowed')]);
    const installed = await operator.fetch('/v1/amocrm/oauth/callback?code=x&referer=demo.amocrm.ru&from_widget=1');
    expect([installed.status, await installed.text()]).toEqual([400, expect.stringContaining('CRM Integrations')]);
    expect((await tableFingerprints(world.pool)).crm_integrations).toEqual(before);
  });
});

describe('the disconnect hook', () => {
  let integration: number;
  let client: { account_id: string; client_id: string };
  beforeEach(async () => {
    integration = await connectAmocrm(world, operator);
    const { rows } = await world.pool.query<{ account_id: string; client_id: string }>(
      'select account_id, client_id from amocrm_accounts where crm_integration_id = $1',
      [integration],
    );
    const [row] = rows;
    if (!row) throw new Error('No account');
    client = row;
    await world.drain();
  });
  afterEach(() => world.control.setFaults([]));

  const stateOf = async () =>
    integrationState.parse((await operator.call(readIntegrationState, { params: { id: integration } })).body);
  const send = (query: Record<string, string>) =>
    world.anonymousClient().fetch(`/v1/amocrm/oauth/delete?${new URLSearchParams(query).toString()}`);

  it("checks the vendor's signature", () => {
    const { secret, client: id, account, signature } = SIGNED;
    expect(isSignedBy({ secret, clientId: id, accountId: account, signature })).toBe(true);
    expect(isSignedBy({ secret, clientId: id, accountId: account, signature: signature.toUpperCase() })).toBe(true);
    for (const wrong of ['', signature.slice(1), `${signature}0`, signature.replace('9', '8'), 'x'.repeat(64)])
      expect(isSignedBy({ secret, clientId: id, accountId: account, signature: wrong })).toBe(false);
    expect(isSignedBy({ secret: 'other', clientId: id, accountId: account, signature })).toBe(false);
    expect(isSignedBy({ secret, clientId: id, accountId: account + 1, signature })).toBe(false);
  });

  it('ignores a wrong signature', async () => {
    const before = await tableFingerprints(world.pool);
    const callCount = await calls();
    const right = createHmac('sha256', 'guess').update(`${client.client_id}|${client.account_id}`).digest('hex');
    for (const signature of [right, 'f'.repeat(64), '', 'zz', right.slice(0, 63)]) {
      const answer = await send({ account_id: client.account_id, client_uuid: client.client_id, signature });
      expect(answer.status).toBe(404);
    }
    for (const query of [{}, { account_id: '0' }, { account_id: 'x', client_uuid: 'y', signature: 'z' }])
      expect((await send(query)).status).toBe(404);
    expect(await calls()).toBe(callCount);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('ends the connection once amoCRM refuses the tokens, and keeps leads and settings', async () => {
    expect(await world.control.amocrm.disconnect(client.client_id)).toEqual({ status: 200 });
    await world.waitUntil(async () => (await stateOf()).state === 'disconnected', 'disconnected');
    expect((await stateOf()).reason).toBe('Disconnected in amoCRM');
    const { rows } = await world.pool.query(
      'select access_token_sealed, refresh_token_sealed, is_active from amocrm_accounts a join crm_integrations i on i.id = a.crm_integration_id where i.id = $1',
      [integration],
    );
    expect(rows).toEqual([{ access_token_sealed: null, refresh_token_sealed: null, is_active: false }]);
    // Connecting again restores the same integration.
    expect(await connectAmocrm(world, operator)).toBe(integration);
    expect((await stateOf()).state).toBe('connected');
  });

  it('changes nothing when replayed while the tokens are valid', async () => {
    // Take the secret from amoCRM, since ours is encrypted.
    const entries = await world.control.entriesOf('amocrm');
    const clients = entries.flatMap(({ change }) => (change.what === 'client' ? [change.client] : []));
    const secret = clients.find((one) => one.clientId === client.client_id)?.secret ?? '';
    const signature = createHmac('sha256', secret).update(`${client.client_id}|${client.account_id}`).digest('hex');
    const query = { account_id: client.account_id, client_id: client.client_id, signature };
    const before = await calls();
    expect((await send(query)).status).toBe(200);
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query(
        'select disconnect_requested_at from amocrm_accounts where crm_integration_id = $1',
        [integration],
      );
      return JSON.stringify(rows) === '[{"disconnect_requested_at":null}]';
    }, 'the hook was looked into');
    expect((await stateOf()).state).toBe('connected');
    expect(await calls()).toBe(before + 1);
  });

  it('waits for confirmation while amoCRM does not answer', async () => {
    await world.control.setFaults([{ kind: 'amocrm.down', times: 2 }]);
    expect(await world.control.amocrm.disconnect(client.client_id)).toEqual({ status: 200 });
    await world.waitUntil(async () => (await stateOf()).state === 'disconnected', 'disconnected');
  });

  it("removes amoCRM's webhook when an operator disconnects", async () => {
    const answer = await operator.call(disconnectIntegration, { params: { id: integration } });
    expect(integrationState.parse(answer.body).state).toBe('disconnected');
    expect((await world.control.amocrm.board()).hooks).toEqual([]);
    expect((await operator.call(disconnectIntegration, { params: { id: integration } })).status).toBe(409);
  });
});
