import { inject } from 'vitest';
import { cloneTemplate, type TestDatabase } from './testServer.ts';

/** A migrated database of the caller's own, cloned from the run's template. */
export function freshDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testServer');
  return cloneTemplate(adminUrl, template);
}
