/** The target of the attacks: a server process of its own, with a company that has a row of every kind. */
import type pg from 'pg';
import { startApp } from '../../app.ts';
import { readConfig } from '../../platform/config.ts';
import type { Endpoint } from '../../platform/contract.ts';
import { createLog } from '../../platform/log.ts';
import { migrate } from '../../platform/migrate.ts';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { cloneTemplate, makeTemplate, openTestServer } from '../../testing/testServer.ts';
import { createWorld, freePort, type World } from '../../testing/world.ts';

export interface Target {
  readonly url: string;
  /** The company with conversations, beside the one that has a row of every kind. */
  readonly world: World;
  readonly pool: pg.Pool;
  /** Endpoints as they are served. */
  readonly endpoints: readonly Endpoint[];
  readonly rows: CompanyRowIds;
  /** Session cookie of an admin. */
  readonly cookie: string;
  readonly server: ServerProcess;
  /** Version of PostgreSQL, as `18.4`. */
  readonly postgres: string;
  close(): Promise<void>;
}

/** Start the product on a database of its own. */
export async function openTarget(): Promise<Target> {
  const database = await openTestServer();
  const template = await makeTemplate(database.adminUrl, migrate);
  const world = await createWorld({ serve: false, database: await cloneTemplate(database.adminUrl, template.name) });
  const settings = {
    // The floods send from addresses that they name themselves.
    RAPPORT_TRUST_PROXY: 'on',
    RAPPORT_LOG_LEVEL: 'error',
    RAPPORT_STRICT_REPLIES: 'off',
    RAPPORT_SWEEP_SECONDS: '1',
  };
  // Reads the list of endpoints from the app itself, on a port that is used for nothing else.
  const app = await startApp(
    readConfig(world.env({ ...settings, PORT: String(await freePort()), RAPPORT_ROLES: 'web' })),
    createLog('silent'),
  );
  const endpoints = app.routes.map((one) => one.endpoint);
  await app.stop();
  const server = startServer(world, settings);
  await server.waitUntilReady();
  const rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  for (const name of ['Basalt', 'Copper', 'Dolomite']) await createCompanyWithEveryResource(world.pool, name);
  const { rows: versions } = await world.pool.query<{ server_version: string }>('show server_version');
  return {
    url: world.url,
    world,
    pool: world.pool,
    endpoints,
    rows,
    cookie: (await world.operator('root')).cookie,
    server,
    postgres: versions[0]?.server_version.split(' ')[0] ?? 'unknown',
    async close() {
      await server.stop();
      await world.close();
      await template.drop();
      await database.stop();
    },
  };
}
