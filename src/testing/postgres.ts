import { inject } from 'vitest';
import { cloneTemplate, type TestDatabase } from './testServer.ts';

/** Clone a migrated database from the run's template. */
export function freshDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  return cloneTemplate(adminUrl, template);
}
