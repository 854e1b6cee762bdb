/** The pair of tokens: never refreshed twice, never lost, and recognised when it is no longer accepted. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { ids } from '../platform/ids.ts';
import { createLog } from '../platform/log.ts';
import { openDb } from '../platform/openDb.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm } from '../testing/crm.ts';
import { createWorld, type World } from '../testing/world.ts';
import { call } from './amocrm/call.ts';
import { getAccessToken } from './amocrm/tokens.ts';

let world: World;
let operator: Client;
let integration: number;
let one: AppContext;
/** Another instance, with its own pool and instance id. */
let other: AppContext;
let close: () => Promise<void>;
beforeAll(async () => {
  // No worker: only the test calls amoCRM.
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  operator = await world.operator();
  if (!world.app) throw new Error('The world serves');
  one = world.app.context;
  const db = openDb(world.databaseUrl, createLog('silent'));
  other = { ...one, ...db, instanceId: ids.next() };
  await world.pool.query("insert into nodes (instance_id, name, roles, pid) values ($1, 'other', '{web}', 1)", [
    other.instanceId,
  ]);
  close = () => db.close();
});
afterAll(async () => {
  await close();
  await world.close();
});
let mark: number;
/** The pair that the connection started with. */
let first: number;
beforeEach(async () => {
  integration = await connectAmocrm(world, operator);
  mark = (await world.control.ping()).seq;
  first = (await row()).token_version;
});
afterEach(() => world.control.setFaults([]));

const changes = async () => (await world.control.entriesOf('amocrm', mark)).map((entry) => entry.change);
const refreshes = async () => (await changes()).filter((one) => one.what === 'tokens').length;
const row = async () => {
  const { rows } = await world.pool.query<{ token_version: number; state: string }>(
    'select state, state_reason, token_version, refresh_claimed_by from amocrm_accounts where crm_integration_id = $1',
    [integration],
  );
  const [account] = rows;
  if (!account) throw new Error('No account');
  return account;
};
const expire = async () => {
  await world.control.amocrm.expireAccess();
  await world.pool.query("update amocrm_accounts set access_expires_at = now() - interval '1 minute'");
};
const TOKEN = { account: 'amocrm', text: 'access_token' };

it('refreshes once for forty calls of two nodes with an expired token', async () => {
  await expire();
  const tokens = await Promise.all(
    Array.from({ length: 40 }, (_one, index) => getAccessToken(index % 2 === 0 ? one : other, integration)),
  );
  expect(new Set(tokens.map((each) => (each.kind === 'token' ? each.token : each.kind))).size).toBe(1);
  expect(await refreshes()).toBe(1);
  expect(await row()).toMatchObject({ state: 'connected', token_version: first + 1, refresh_claimed_by: null });
});

it('replaces a refused token once and repeats the call', async () => {
  await world.control.amocrm.expireAccess();
  const answers = await Promise.all(
    [one, other, one, other].map((context) =>
      call(context, { integrationId: integration, method: 'GET', path: '/account' }),
    ),
  );
  expect(answers.map((each) => each.kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(await refreshes()).toBe(1);
});

it('refreshes before expiry, and uses the old token while that fails', async () => {
  await world.pool.query(
    "update amocrm_accounts set access_expires_at = now() + interval '50 minutes', refreshed_at = now() - interval '23 hours'",
  );
  await world.control.setFaults([{ kind: 'amocrm.fail_before', match: TOKEN, times: 1 }]);
  expect((await getAccessToken(one, integration)).kind).toBe('token');
  expect(await refreshes()).toBe(0);
  expect((await getAccessToken(one, integration)).kind).toBe('token');
  expect(await refreshes()).toBe(1);
});

it('retries the old refresh token after an answer that was cut off', async () => {
  await expire();
  await world.control.setFaults([{ kind: 'amocrm.down', match: TOKEN, times: 1 }]);
  expect((await getAccessToken(one, integration)).kind).toBe('token');
  expect(await refreshes()).toBe(1);
  expect(await row()).toMatchObject({ state: 'connected', token_version: first + 1 });
});

it('requires reconnecting when the answer with new tokens is lost', async () => {
  await expire();
  await world.control.setFaults([{ kind: 'amocrm.lose_answer', match: TOKEN, times: 1 }]);
  expect(await getAccessToken(one, integration)).toMatchObject({ kind: 'reconnect' });
  expect(await row()).toMatchObject({
    state: 'reconnect',
    state_reason: 'amoCRM refuses the token: Token has been revoked',
  });
  const changeCount = (await changes()).length;
  // No call is made with dead keys.
  expect((await call(one, { integrationId: integration, method: 'GET', path: '/account' })).kind).toBe('reconnect');
  expect((await changes()).length).toBe(changeCount);
});

it('requires reconnecting after the tokens are revoked', async () => {
  expect((await call(one, { integrationId: integration, method: 'GET', path: '/account' })).kind).toBe('ok');
  const { rows } = await world.pool.query<{ client_id: string }>(
    'select client_id from amocrm_accounts where crm_integration_id = $1',
    [integration],
  );
  await world.control.amocrm.revoke(rows[0]?.client_id ?? '');
  const both = await Promise.all(
    [one, other].map((context) => call(context, { integrationId: integration, method: 'GET', path: '/account' })),
  );
  expect(both.map((each) => each.kind)).toEqual(['reconnect', 'reconnect']);
  expect(await row()).toMatchObject({ state: 'reconnect', token_version: first });
});

it('does not disconnect on a server error of the token endpoint', async () => {
  await expire();
  await world.control.setFaults([{ kind: 'amocrm.fail_before', match: TOKEN, times: 1 }]);
  expect((await getAccessToken(one, integration)).kind).toBe('away');
  expect(await row()).toMatchObject({ state: 'connected', token_version: first, refresh_claimed_by: null });
  expect((await getAccessToken(one, integration)).kind).toBe('token');
});

it('limits two nodes to seven calls a second together', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_one, index) =>
      call(index % 2 === 0 ? one : other, { integrationId: integration, method: 'GET', path: '/account' }),
    ),
  );
  const called = (await changes()).flatMap((each) => (each.what === 'called' ? [each] : []));
  expect(called.filter((each) => each.status === 429)).toEqual([]);
  expect(called).toHaveLength(20);
});

it('encrypts each secret for its own place', async () => {
  const { rows } = await world.pool.query<Record<string, string>>(
    'select client_secret_sealed, access_token_sealed, refresh_token_sealed, hook_secret_sealed from amocrm_accounts where crm_integration_id = $1',
    [integration],
  );
  const encryptedToken = Object.values(rows[0] ?? {});
  expect(encryptedToken.every((each) => each.startsWith('v2.'))).toBe(true);
  const entries = await world.control.entriesOf('amocrm');
  const secrets = entries.flatMap(({ change }) =>
    change.what === 'client' ? [change.client.secret] : change.what === 'tokens' ? [change.access, change.refresh] : [],
  );
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
  await world.pool.query(
    'update amocrm_accounts set access_token_sealed = refresh_token_sealed where crm_integration_id = $1',
    [integration],
  );
  await expect(getAccessToken(one, integration)).rejects.toThrow();
});
