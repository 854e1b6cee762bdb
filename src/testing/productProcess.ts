/** The whole product in a separate process, as users run it: demo company, emulators, built console. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlClient } from '../sandbox/emulators/control.ts';
import { serverArgs } from './builds.ts';
import { COMPILE_CACHE_DIR } from './compileCache.ts';
import { appUrlOf } from './testServer.ts';
import { freePort } from './world.ts';

export interface Product {
  readonly url: string;
  readonly dataDir: string;
  /** Send SIGKILL and wait. The emulators keep running, and vendors repeat the hooks they sent meanwhile. */
  kill(): Promise<void>;
  /** Start it again on the same port and data, and wait until it is ready. */
  start(): Promise<void>;
  /** Return the emulated vendors, for actions that no page offers; with a database of the caller's own. */
  emulators(): Promise<ControlClient>;
  /** Resolve when the demo's vendor sends its hooks to this server, which is a moment after it is ready. */
  waitForHooks(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Start the product and wait until it is ready. The debounce is short unless the environment sets it. Without a
 * database it runs on its embedded one.
 */
export async function startProduct(
  env: Record<string, string> = {},
  database: { url: string; drop(): Promise<void> } | null = null,
): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-product-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const fullEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: COMPILE_CACHE_DIR,
    ...(database ? { DATABASE_URL: appUrlOf(database.url), DATABASE_MIGRATIONS_URL: database.url } : {}),
    RAPPORT_SANDBOX: 'on',
    RAPPORT_SECRET_KEY: 'a-secret-key-for-tests-only-0123456789',
    RAPPORT_DATA_DIR: folder,
    RAPPORT_REPLY_DEBOUNCE_SECONDS: '1',
    RAPPORT_LOG_LEVEL: 'warn',
    PORT: String(port),
    ...env,
  };
  let child = await startProcess(fullEnv, url);
  if (database) await speedUpVendors(folder);
  const stopWith = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const product: Product = {
    url,
    dataDir: folder,
    kill: () => stopWith('SIGKILL'),
    async start() {
      child = await startProcess(fullEnv, url);
    },
    async emulators() {
      const { ensureEmulators } = await import('../sandbox/emulators/ensure.ts');
      const emulators = await ensureEmulators({ dir: join(folder, 'emulators'), log: () => undefined });
      await emulators.release();
      return emulators.control;
    },
    async waitForHooks() {
      const control = await product.emulators();
      for (const deadline = performance.now() + 150_000; ; await pause(50)) {
        const accounts = await control.accounts();
        if (accounts.some((one) => one.webhooksUri?.startsWith(url))) return;
        if (performance.now() > deadline) throw new Error('No vendor sends its hooks here');
      }
    },
    async close() {
      await stopWith('SIGTERM');
      if (database) await stopEmulators(folder);
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return product;
}

async function startProcess(env: NodeJS.ProcessEnv, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, serverArgs(), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  // A test that ends early must leave nothing behind.
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  child.once('exit', () => process.off('exit', atExit));
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (written += chunk.toString('utf8')));
  for (const end = performance.now() + 150_000; ; await pause(30)) {
    if (child.exitCode !== null) throw new Error(`The product ended before it was ready:\n${written}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) return child;
    if (performance.now() > end) throw new Error(`The product is not ready:\n${written}`);
  }
}

/** Make phones receive and read at once, and the vendor repeat hooks without a long pause. */
async function speedUpVendors(folder: string): Promise<void> {
  const { ensureEmulators } = await import('../sandbox/emulators/ensure.ts');
  const emulators = await ensureEmulators({ dir: join(folder, 'emulators'), log: () => undefined });
  await emulators.control.changeSettings({
    statuses: { sentMs: 5, deliveredMs: 50, readMs: 150 },
    hooks: { retries: 1000, pauseMs: 200 },
  });
  await emulators.release();
}

/** Stop the emulators. With an external database the server leaves them running for others; here there are none. */
async function stopEmulators(folder: string): Promise<void> {
  const { ensureEmulators } = await import('../sandbox/emulators/ensure.ts');
  const emulators = await ensureEmulators({ dir: join(folder, 'emulators'), log: () => undefined });
  await emulators.stop();
}
