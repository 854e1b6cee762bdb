import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { DEMO_LOGIN } from '../sandbox/demoOperator.ts';
import { startProduct } from './productProcess.ts';
import { cloneTemplate, seededTemplate, type TestDatabase } from './testServer.ts';

/** Clone a database with the demo company, from a template that a server filled once for the run. */
export async function demoDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  const seeded = await seededTemplate(adminUrl, template, async (url) => {
    // Without a worker, nothing of the demo is planned or sent before a test's own server does it.
    const product = await startProduct({ RAPPORT_ROLES: 'web' }, { url, drop: async () => undefined });
    await waitForDemo(url);
    await product.close();
  });
  return cloneTemplate(adminUrl, seeded);
}

/** A server without a worker is ready before the demo is stored, which is one transaction. */
async function waitForDemo(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const end = performance.now() + 150_000; ; await pause(100)) {
      const { rowCount } = await client.query('select from operators where login = $1', [DEMO_LOGIN]);
      if (rowCount === 1) return;
      if (performance.now() > end) throw new Error('The demo was not stored');
    }
  } finally {
    await client.end();
  }
}
