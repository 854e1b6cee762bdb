import { createHash, randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataDirInUse, PostgresUnavailable } from '../platform/postgres/errors.ts';
import { APP_ROLE } from '../platform/postgres/roles.ts';
import { type Postgres, startPostgres } from '../platform/postgres/supervisor.ts';

/** A PostgreSQL server for temporary databases. */
export type TestServer = {
  /** Connects to a database with permission for CREATE DATABASE and DROP DATABASE. */
  readonly adminUrl: string;
  readonly stop: () => Promise<void>;
};

/** A test's own database; `url` connects as its owner. `drop` terminates remaining connections. */
export type TestDatabase = { readonly url: string; readonly drop: () => Promise<void> };

/**
 * Open the server for tests and measurements: the one of RAPPORT_TEST_DATABASE_URL or DATABASE_URL, else an embedded
 * one of this checkout that is kept from run to run. The embedded one would not survive a power failure, which is
 * acceptable.
 */
export async function openTestServer(): Promise<TestServer> {
  const configuredUrl = process.env.RAPPORT_TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (configuredUrl !== undefined && configuredUrl !== '') {
    await ensureAppRole(configuredUrl);
    return { adminUrl: configuredUrl, stop: async () => undefined };
  }
  const server = await startInFreeSlot();
  await dropLeftovers(server.superuserUrl);
  return { adminUrl: server.superuserUrl, stop: () => server.stop() };
}

/** Return the URL of the same database for the app's role. On a configured server the role has the admin's password. */
export function appUrlOf(url: string): string {
  const app = new URL(url);
  app.username = APP_ROLE;
  return app.href;
}

async function ensureAppRole(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [APP_ROLE]);
    if (rowCount !== 0) return;
    const password = pg.escapeLiteral(decodeURIComponent(new URL(adminUrl).password));
    await client.query(`CREATE ROLE ${APP_ROLE} LOGIN PASSWORD ${password}`);
  } finally {
    await client.end();
  }
}

/**
 * Make a template: an empty database, filled by `fill` and closed to connections so that it can be cloned at any time.
 * @returns its name, and the means to drop it
 */
export async function makeTemplate(
  adminUrl: string,
  fill: (url: string) => Promise<void>,
): Promise<{ name: string; drop: () => Promise<void> }> {
  const name = newName('template');
  await run(adminUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  await fill(urlOf(adminUrl, name));
  await run(adminUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  return {
    name,
    async drop() {
      for (const one of [seededName(name), name]) await run(adminUrl, `DROP DATABASE IF EXISTS ${one} WITH (FORCE)`);
    },
  };
}

const seededName = (template: string): string => `${template}_seeded`;

/**
 * Clone a second template from the first and fill it further. The first caller makes it; others wait until it is
 * complete. It is dropped with the first.
 * @returns its name
 */
export async function seededTemplate(
  adminUrl: string,
  template: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const name = seededName(template);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query<{ whole: boolean }>(
      'SELECT NOT datallowconn AS whole FROM pg_database WHERE datname = $1',
      [name],
    );
    if (rows[0]?.whole) return name;
    // A previous caller may have failed before completing it.
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await fill(urlOf(adminUrl, name));
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    return name;
  } finally {
    await client.end();
  }
}

/** Clone a template into a new database. */
export async function cloneTemplate(adminUrl: string, template: string): Promise<TestDatabase> {
  const name = newName('db');
  // Without fsync, copying files takes a third of the time of writing them to the log.
  await run(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return { url: urlOf(adminUrl, name), drop: () => dropDatabase(adminUrl, name) };
}

/** Drop a database. Waits for connections that are closing: terminating them would throw into a finished test. */
async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      const { rows } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [name]);
      if (rows.length === 0) break;
      await pause(20);
    }
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

const PREFIX = 'rapport_test_';

function newName(kind: string): string {
  return `${PREFIX}${kind}_${process.pid}_${randomBytes(4).toString('hex')}`;
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function run(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Start the server in a free slot: several concurrent runs on one checkout take a slot each. */
async function startInFreeSlot(): Promise<Postgres> {
  const checkout = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8);
  for (let slot = 1; ; slot += 1) {
    const dataDir = join(tmpdir(), `rapport-test-${process.getuid?.() ?? 0}-${checkout}-${slot}`);
    try {
      return await start(dataDir);
    } catch (error) {
      if (error instanceof DataDirInUse) continue;
      if (!(error instanceof PostgresUnavailable) || !existsSync(dataDir)) throw error;
      // Without fsync a system crash may have damaged it; it contains nothing worth keeping.
      rmSync(dataDir, { recursive: true, force: true });
      return await start(dataDir);
    }
  }
}

function start(dataDir: string): Promise<Postgres> {
  const complain = (facts: object, sentence: string) => console.error(sentence, facts);
  const log = { info: () => undefined, warn: complain, error: complain };
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' };
  return startPostgres({ dataDir, log, settings });
}

async function dropLeftovers(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const leftovers = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [PREFIX],
    );
    for (const { datname } of leftovers.rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
