/** The whole product in its own process, as a person gets it: demo company, emulators, built console. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './world.ts';

const MAIN = join(import.meta.dirname, '../main.ts');

export interface Product {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts it and waits until it is ready. The debounce is short unless the environment says otherwise. Without a
 * database it runs on its embedded one.
 */
export async function startProduct(
  env: Record<string, string> = {},
  database: { url: string; drop(): Promise<void> } | null = null,
): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-product-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...(database ? { DATABASE_URL: database.url } : {}),
      RAPPORT_SANDBOX: 'on',
      RAPPORT_SECRET_KEY: 'a-secret-key-for-tests-only-0123456789',
      RAPPORT_DATA_DIR: folder,
      RAPPORT_REPLY_DEBOUNCE_SECONDS: '1',
      RAPPORT_LOG_LEVEL: 'warn',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (written += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  for (const end = performance.now() + 30_000; ; await pause(30)) {
    if (child.exitCode !== null) throw new Error(`The product ended before it was ready:\n${written}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) break;
    if (performance.now() > end) throw new Error(`The product is not ready:\n${written}`);
  }
  return {
    url,
    async close() {
      child.kill('SIGTERM');
      await exited;
      if (database) await stopEmulators(folder);
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With a database of the environment the emulators are left to others: here nobody else uses them. */
async function stopEmulators(folder: string): Promise<void> {
  const { ensureEmulators } = await import('../sandbox/emulators/ensure.ts');
  const emulators = await ensureEmulators({ dir: join(folder, 'emulators'), log: () => undefined });
  await emulators.stop();
}
