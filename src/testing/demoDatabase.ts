import { inject } from 'vitest';
import { startProduct } from './productProcess.ts';
import { cloneTemplate, seededTemplate, type TestDatabase } from './testServer.ts';

/** A database of the caller's own with the demo company in it, cloned from one that a server has filled for the run. */
export async function demoDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  const seeded = await seededTemplate(adminUrl, template, async (url) => {
    // Without a worker nothing of the demo is thought about or sent before a test's own server does.
    const product = await startProduct({ RAPPORT_ROLES: 'web' }, { url, drop: async () => undefined });
    await product.close();
  });
  return cloneTemplate(adminUrl, seeded);
}
