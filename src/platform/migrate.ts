/**
 * Migrations: numbered plain SQL files, forward only, each applied in one transaction with its own entry; then the files
 * of migrations/functions/, one for each function and its triggers, which are applied again when their text changed. A
 * migration that renames what a function uses, and then changes rows, replaces the function itself.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pg from 'pg';
import { APP_ROLE } from './postgres/roles.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');
const FUNCTIONS = join(FOLDER, 'functions');
/** Key of the advisory lock that a migrating process holds; any constant. */
const LOCK = 7_267_001;

/** The database lacks migrations, and our role may not apply them. */
export class MigrationsMissing extends Error {
  override name = 'MigrationsMissing';
  constructor(names: readonly string[]) {
    super(
      `The database needs the migrations ${names.join(', ')}, and the role of DATABASE_URL may not make tables. ` +
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
    const pending = codeMigrations.filter((name) => !applied.has(name) && (only?.includes(name) ?? true));
    if (!mayMigrate) {
      const missing = [...pending, ...(await findChangedFunctions(client)).map(({ name }) => name)];
      if (missing.length > 0) throw new MigrationsMissing(missing);
      return;
    }
    for (const name of pending) {
      await client.query('begin');
      await client.query(await readFile(join(FOLDER, name), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    }
    // An older schema lacks tables that functions and grants name.
    if (only === undefined) {
      await applyFunctions(client);
      await grantToApp(client);
    }
  } finally {
    await client.end();
  }
}

/**
 * Find the functions whose file has another text than the one applied. The hash of that text is the function's comment:
 * unlike a row of a table, it is neither backed up nor restored without the function.
 */
async function findChangedFunctions(client: pg.Client) {
  const { rows } = await client.query<{ name: string; hash: string | null }>(
    `select proname as name, obj_description(oid, 'pg_proc') as hash
       from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  const hashes = new Map(rows.map(({ name, hash }) => [name, hash]));
  const files = await Promise.all(
    (await readdir(FUNCTIONS)).sort().map(async (file) => {
      const text = await readFile(join(FUNCTIONS, file), 'utf8');
      return { name: basename(file, '.sql'), text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
  return files.filter(({ name, hash }) => hashes.get(name) !== hash);
}

/** Create or replace the functions whose file has changed, with their triggers. */
async function applyFunctions(client: pg.Client): Promise<void> {
  for (const { name, text, hash } of await findChangedFunctions(client)) {
    await client.query('begin');
    await client.query(text);
    await client.query(`comment on function ${name} is '${hash}'`);
    await client.query('commit');
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
