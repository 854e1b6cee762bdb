import { inject } from 'vitest';
import { startProduct } from './productProcess.ts';
import { cloneTemplate, seededTemplate, type TestDatabase } from './testServer.ts';

/** Clone a database with the demo company, from a template that a server filled once for the run. */
export async function demoDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  const seeded = await seededTemplate(adminUrl, template, async (url) => {
    // Without a worker, nothing of the demo is planned or sent before a test's own server does it.
    const product = await startProduct({ RAPPORT_ROLES: 'web' }, { url, drop: async () => undefined });
    await product.close();
  });
  return cloneTemplate(adminUrl, seeded);
}
