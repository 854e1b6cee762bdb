/** Differences of production mode: no sandbox, no demo, no failpoints, one origin, guarded documents and metrics. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from './app.ts';
import { readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { freshDatabase } from './testing/postgres.ts';
import { send } from './testing/sampleRequests.ts';
import { freePort, SECRET_KEY } from './testing/world.ts';

/** Preloaded: prints the address of every module that the process loads. */
const PRINT_MODULES = `data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });",
)}`;

/** Run a server process until it is ready, then stop it; return the project's files that it has loaded. */
async function loadedFiles(env: Record<string, string>): Promise<string[]> {
  const sources = import.meta.dirname;
  const child = spawn(process.execPath, ['--import', PRINT_MODULES, join(sources, 'main.ts')], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const exited = once(child, 'exit');
  const isReady = () =>
    fetch(`http://127.0.0.1:${env['PORT']}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  while (child.exitCode === null && !(await isReady())) await pause(50);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  const prefix = `file://${sources}/`;
  return printed
    .split('\n')
    .filter((url) => url.startsWith(prefix))
    .map((url) => url.slice(prefix.length));
}

describe('a production installation', () => {
  let app: App;
  let env: Record<string, string>;
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = {
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

  it('loads nothing of the sandbox, the tests and the proofs, and passes failpoints without effect', async () => {
    const port = String(await freePort());
    const files = await loadedFiles({
      ...env,
      RAPPORT_ROLES: 'web,worker',
      RAPPORT_FAILPOINT: 'db.afterCommit',
      PORT: port,
    });
    expect(files).toEqual(expect.arrayContaining(['main.ts', 'app.ts', 'platform/failpoint.ts']));
    expect(files.filter((file) => /^(?:sandbox|testing|proofs)\//.test(file))).toEqual([]);
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
