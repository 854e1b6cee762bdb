/**
 * An installation with its own integration at amoCRM: no secrets are posted, and the consent page identifies it by its
 * id.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CANARY } from '../testing/canaries.ts';
import type { Client } from '../testing/client.ts';
import { followRedirect, startConnection } from '../testing/crm.ts';
import { createWorld, type World } from '../testing/world.ts';
import { integrationState, readCrmDirectory, readIntegrationState } from './amocrmContract.ts';

const ID = '33333333-3333-4333-8333-333333333333';
const SECRET = `an-installation-${CANARY}-secret`;

let world: World;
let operator: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_AMOCRM_CLIENT_ID: ID, RAPPORT_AMOCRM_CLIENT_SECRET: SECRET } });
  operator = await world.operator();
  await register(SECRET);
});
afterAll(() => world.close());

const register = (secret: string) =>
  world.control.amocrm.putClient(ID, {
    secret,
    name: 'Rapport',
    redirectUri: `${world.url}/v1/amocrm/oauth/callback`,
    disconnectUri: `${world.url}/v1/amocrm/oauth/delete`,
  });

/** Press a button of the consent page. Returns where the browser is sent. */
async function pressButton(url: string, label: 'Allow' | 'Deny'): Promise<string> {
  const page = await (await fetch(url)).text();
  expect(page).toContain('<strong>Rapport</strong>');
  const form = new URLSearchParams();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    form.set(name ?? '', value ?? '');
  const button = new RegExp(`<button name="decision" value="(\\w+)">${label}<`).exec(page);
  form.set('decision', button?.[1] ?? '');
  const action = new URL(/<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '', url);
  const answer = await fetch(action, { method: 'POST', body: form, redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

const accounts = async () =>
  (
    await world.pool.query<{
      id: string;
      client_id: string;
      client_secret_sealed: string | null;
      token_version: number;
    }>('select crm_integration_id as id, client_id, client_secret_sealed, token_version from amocrm_accounts')
  ).rows;
const stateOf = async (id: number) =>
  integrationState.parse((await operator.call(readIntegrationState, { params: { id } })).body);

it('asks for consent with only its id and a state', async () => {
  const url = new URL(await startConnection(world, operator));
  expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'mode', 'state']);
  expect(url.searchParams.get('client_id')).toBe(ID);
});

it('accepts no posted secrets', async () => {
  const state = new URL(await startConnection(world, operator)).searchParams.get('state') ?? '';
  const answer = await world.anonymousClient().fetch('/v1/amocrm/oauth/secrets', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: ID, client_secret: 'somebody else’s', state }),
  });
  expect(answer.status).toBe(404);
});

it('connects nothing when consent is denied or the secret is wrong', async () => {
  const denied = await followRedirect(operator, await pressButton(await startConnection(world, operator), 'Deny'));
  expect([denied.status, denied.text]).toEqual([400, expect.stringContaining('was not allowed')]);
  const location = await pressButton(await startConnection(world, operator), 'Allow');
  await register('changed at amoCRM');
  const response = await followRedirect(operator, location);
  expect([response.status, response.text]).toEqual([400, expect.stringContaining('client_id')]);
  expect(response.text).not.toContain(SECRET);
  await register(SECRET);
  expect(await accounts()).toEqual([]);
});

it("connects, refreshes with the installation's secret, and handles disconnection", async () => {
  const response = await followRedirect(operator, await pressButton(await startConnection(world, operator), 'Allow'));
  expect([response.status, response.text]).toEqual([200, expect.stringContaining('Demo account is connected')]);
  const [account, ...more] = await accounts();
  // The secret stays in the configuration and is not copied to the row.
  expect([account?.client_id, account?.client_secret_sealed, more]).toEqual([ID, null, []]);
  const id = Number(account?.id);
  await world.control.amocrm.expireAccess();
  const read = await operator.call(readCrmDirectory, { params: { id }, query: { refresh: true } });
  expect(read.status).toBe(200);
  expect((await accounts())[0]?.token_version).toBe((account?.token_version ?? 0) + 1);
  expect(await world.control.amocrm.disconnect(ID)).toEqual({ status: 200 });
  await world.waitUntil(async () => (await stateOf(id)).state === 'disconnected', 'disconnected');
});
