/** Migrations: numbered plain SQL files, forward only, each applied in one transaction with its own entry. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { APP_ROLE } from './postgres/roles.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');
/** Key of the advisory lock that a migrating process holds; any constant. */
const LOCK = 7_267_001;

/** The database lacks migrations, and our role may not apply them. */
export class MigrationsMissing extends Error {
  override name = 'MigrationsMissing';
  constructor(names: readonly string[]) {
    super(
      `The database needs ${names.length === 0 ? 'its job tables' : `the migrations ${names.join(', ')}`}, and the role of DATABASE_URL may not make tables. ` +
        'Run npm run migrate with DATABASE_MIGRATIONS_URL, the URL of the role that owns the database.',
    );
  }
}

/** Return the names of the migrations in the code, in order. */
export async function migrationNames(): Promise<string[]> {
  const names = (await readdir(FOLDER)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  if (names.length === 0) throw new Error(`No migrations in ${FOLDER}`);
  return names;
}

/**
 * Migrate the database to the schema of this code. Safe to run by several processes at once and after a kill at any
 * point. Throws when the database is newer than the code.
 *
 * @param only these migrations and no others: the schema of an older version, for what that version has saved
 */
export async function migrate(url: string, only?: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'rapport migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const mayMigrate = await mayCreate(client);
    if (mayMigrate)
      await client.query(
        `create table if not exists migrations (
           name text primary key,
           applied_at timestamptz(3) not null default clock_timestamp()
         )`,
      );
    const codeMigrations = await migrationNames();
    const rows = await readApplied(client);
    const applied = new Set(rows.map((row) => row.name));
    const newer = [...applied].find((name) => !codeMigrations.includes(name));
    if (newer)
      throw new Error(`The database has migration ${newer}, which this version does not know. Use a newer version.`);
    const { rows: jobs } = await client.query<{ there: boolean }>(
      `select to_regclass('graphile_worker.migrations') is not null as there`,
    );
    const pending = codeMigrations.filter((name) => !applied.has(name) && (only?.includes(name) ?? true));
    if (!mayMigrate) {
      if (pending.length > 0 || !jobs[0]?.there) throw new MigrationsMissing(pending);
      return;
    }
    if (!jobs[0]?.there || pending.length > 0)
      await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });
    for (const name of pending) {
      await client.query('begin');
      await client.query(await readFile(join(FOLDER, name), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    }
    // An older schema lacks tables that the grants name.
    if (only === undefined) await grantToApp(client);
  } finally {
    await client.end();
  }
}

/** Whether this role may create tables: the app's own role may not, where migrations have another. */
async function mayCreate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    "select has_schema_privilege(current_user, 'public', 'create') as may",
  );
  return rows[0]?.may ?? false;
}

async function readApplied(client: pg.Client): Promise<{ name: string }[]> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass('public.migrations') is not null as there",
  );
  if (!rows[0]?.there) return [];
  return (await client.query<{ name: string }>('select name from migrations')).rows;
}

/** Grant the app's role, where it exists, its rights on the current tables. */
async function grantToApp(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [APP_ROLE]);
  if (rowCount === 0) return;
  await client.query(await readFile(join(FOLDER, 'grants.sql'), 'utf8'));
}
