import type { TestProject } from 'vitest/node';
import { migrate } from '../platform/migrate.ts';
import { installPlanGuard } from './planGuard.ts';
import { makeTemplate, openTestServer } from './testServer.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where databases can be created, and the name of the migrated template to clone. */
    testServer: { adminUrl: string; template: string };
  }
}

/** Runs once per test run: opens the server, and makes one migrated template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const existingTemplate = process.env['RAPPORT_TEST_TEMPLATE'];
  const adminUrl = process.env['RAPPORT_TEST_DATABASE_URL'];
  if (existingTemplate && adminUrl) {
    // The caller keeps both from run to run.
    project.provide('testServer', { adminUrl, template: existingTemplate });
    return async () => undefined;
  }
  const server = await openTestServer();
  const template = await makeTemplate(server.adminUrl, async (url) => {
    await migrate(url);
    await installPlanGuard(url);
  });
  project.provide('testServer', { adminUrl: server.adminUrl, template: template.name });
  return async () => {
    await template.drop();
    await server.stop();
  };
}
