/** Differences of production mode: no sandbox, no demo, one origin, guarded documents and metrics. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '../app.ts';
import { readConfig } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { send } from '../testing/sampleRequests.ts';
import { freePort, SECRET_KEY } from '../testing/world.ts';

describe('a production installation', () => {
  let app: App;
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = {
      DATABASE_URL: database.url,
      RAPPORT_SANDBOX: 'off',
      RAPPORT_PUBLIC_URL: 'https://rapport.example',
      RAPPORT_SECRET_KEY: SECRET_KEY,
      RAPPORT_ROLES: 'web',
      RAPPORT_METRICS_TOKEN: 'the-token-of-the-metrics-reader',
      RAPPORT_STRICT_REPLIES: 'on',
      PORT: String(port),
    };
    app = await startApp(readConfig(env), createLog('warn'));
  });
  afterAll(async () => {
    await app.stop();
    await drop();
  });

  it('has no sandbox, no demo, and a document for operators only', async () => {
    expect(app.routes.filter((one) => one.endpoint.access === 'sandbox')).toEqual([]);
    for (const path of ['/sandbox', '/sandbox/phones', '/sandbox/clock']) {
      expect((await send(url, 'GET', path)).status).toBe(404);
    }
    for (const path of ['/openapi.json', '/docs']) expect((await send(url, 'GET', path)).status).toBe(401);
    const installation = await send(url, 'GET', '/v1/installation');
    expect(JSON.parse(installation.text)).toEqual({ sandbox: false, demo_login: null, demo_password: null });
    const login = await send(url, 'POST', '/v1/auth/login', {
      headers: { origin: 'https://rapport.example', 'content-type': 'application/json' },
      body: '{"login":"demo","password":"demo"}',
    });
    expect(login.status).toBe(401);
  });

  it('shows its metrics to the bearer of their token only', async () => {
    const as = async (authorization?: string) =>
      (await send(url, 'GET', '/metrics', authorization === undefined ? {} : { headers: { authorization } })).status;
    expect(await as()).toBe(401);
    expect(await as('Bearer the-token-of-the-metrics-readeR')).toBe(401);
    expect(await as('Bearer the-token-of-the-metrics-reader2')).toBe(401);
    expect(await as('the-token-of-the-metrics-reader')).toBe(401);
    expect(await as('Bearer the-token-of-the-metrics-reader')).toBe(200);
  });

  it('takes its public address as the only origin', async () => {
    const from = async (origin: string) =>
      (
        await send(url, 'POST', '/v1/auth/login', {
          headers: { origin, 'content-type': 'application/json' },
          body: '{"login":"nobody","password":"nothing"}',
        })
      ).status;
    expect(await from('https://rapport.example')).toBe(401);
    for (const origin of [
      url,
      url.replace('127.0.0.1', 'localhost'),
      'http://rapport.example',
      'https://rapport.example:8443',
    ])
      expect([origin, await from(origin)]).toEqual([origin, 403]);
  });
});
