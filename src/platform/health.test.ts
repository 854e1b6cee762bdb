import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { send } from '../testing/sampleRequests.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type HealthState, healthRoutes } from './health.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const alive = `{"status":"alive","version":"${manifest.version}"}`;
const ready = `{"status":"ready","version":"${manifest.version}"}`;

const get = async (path: string) => {
  const { status, text } = await send(world.url, 'GET', path);
  return [status, text];
};

/** The reply of `/readyz` before the app is prepared. */
async function readinessOf(changed: Partial<HealthState>): Promise<unknown> {
  const { app } = world;
  if (!app) throw new Error('no server');
  const state: HealthState = {
    stage: () => 'serving',
    fullClasses: () => [],
    refreshGauges: async () => {},
    ...changed,
  };
  const routes = healthRoutes(app.context, state);
  return routes.find(({ endpoint }) => endpoint.path === '/readyz')?.handle({} as never);
}

describe('health', () => {
  it('answers health checks of anyone', async () => {
    expect(await get('/healthz')).toEqual([200, alive]);
    expect(await get('/readyz')).toEqual([200, ready]);
  });

  it('gives each request an id that the log repeats', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await send(world.url, 'GET', '/healthz')).headers.get('x-request-id') ?? ''),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('reports not ready but live while a migration is missing', async () => {
    const { rows } = await world.pool.query<{ name: string }>(
      'delete from migrations where name = (select max(name) from migrations) returning name',
    );
    const name = rows[0]?.name ?? '';
    expect(await get('/readyz')).toEqual([503, `{"detail":"Migrations are missing: ${name}"}`]);
    expect(await get('/healthz')).toEqual([200, alive]);
    await world.pool.query('insert into migrations (name) values ($1)', [name]);
    expect((await get('/readyz'))[0]).toBe(200);
  });

  it('reports not ready until what the first sign-in needs is stored', async () => {
    const body = { detail: 'This server is still starting' };
    expect(await readinessOf({ stage: () => 'starting' })).toEqual({ status: 503, body });
  });

  it('answers 503 with Retry-After and no internals while the database is unreachable', async () => {
    const admin = await world.operator('root');
    const database = new URL(world.databaseUrl).pathname.slice(1);
    const outside = new pg.Client({ connectionString: inject('testServer').adminUrl });
    await outside.connect();
    // Allow no new connection, and cut the existing ones.
    await outside.query(`alter database ${database} allow_connections false`);
    await outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    const away = '{"detail":"The database does not answer"}';
    await world.waitUntil(async () => (await get('/readyz'))[1] === away, 'the server to notice');
    expect(await get('/healthz')).toEqual([200, alive]);
    const answer = await admin.fetch('/v1/companies/');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { detail: 'The database does not answer. Please try again in a moment.' },
    ]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await outside.query(`alter database ${database} allow_connections true`);
    await outside.end();
    await world.waitUntil(async () => (await get('/readyz'))[0] === 200, 'the server to serve again');
    expect((await admin.fetch('/v1/companies/')).status).toBe(200);
  });
});

describe('metrics', () => {
  it('serves metrics in the sandbox, counts requests by route, and names no person', async () => {
    await send(world.url, 'GET', '/v1/leads/123456');
    const answer = await send(world.url, 'GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(answer.text).toMatch(/rapport_http_seconds_count\{[^}]*route="\/v1\/leads\/:id"[^}]*status="401"[^}]*\} 1/);
    expect(answer.text).not.toContain('123456');
    for (const name of ['rapport_jobs_total', 'rapport_sends_total', 'rapport_model_seconds', 'rapport_live_streams'])
      expect(answer.text).toContain(`# TYPE ${name} `);
  });

  it('requires the metrics token when one is set, in the sandbox too', async () => {
    const guarded = await createWorld({ env: { RAPPORT_METRICS_TOKEN: 'the-token', RAPPORT_ROLES: 'web' } });
    const as = async (headers: Record<string, string>) =>
      (await send(guarded.url, 'GET', '/metrics', { headers })).status;
    const { cookie } = await guarded.operator('root');
    expect(await as({})).toBe(401);
    expect(await as({ cookie })).toBe(401);
    expect(await as({ authorization: 'Bearer the-tokem' })).toBe(401);
    expect(await as({ authorization: 'Bearer the-token' })).toBe(200);
    await guarded.close();
  });
});
