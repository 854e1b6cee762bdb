import { createReadStream } from 'node:fs';
import { createGunzip, type Gunzip } from 'node:zlib';
import pg from 'pg';
import { migrate, migrationNames } from '../migrate.ts';
import {
  batchSchema,
  columnsOf,
  FORMAT,
  footSchema,
  type Head,
  headSchema,
  nameOf,
  quoteName,
  SESSION,
  TABLES,
  type Table,
} from './archive.ts';
import type { BackupSize } from './backup.ts';
import { verifyMac } from './backupMac.ts';
import { createFormerJobs, type FormerJobs, RUNNER } from './formerJobs.ts';

/** The backup was not restored and the database is unchanged. `message` is a sentence that says why. */
export class RestoreRefused extends Error {
  override name = 'RestoreRefused';
}

/** Tables that migrations fill themselves. A database with rows only in these is unused. */
const FILLED_BY_MIGRATIONS = ['public.migrations', 'public.installation', 'public.llm_prices'];

/** Tables of the job runner of earlier versions are left out. */
const isIncluded = (table: { readonly schema: string }): boolean => table.schema !== RUNNER;

/**
 * Restore a backup into a database, in one transaction. Afterwards the database contains exactly what the backup
 * contains. A backup of an older version is restored into the tables of that version, in a database without any, which
 * is then migrated to the present version.
 *
 * @param options.force replaces what is in the database; without it a used database is refused
 * @param options.secretKeys the file must be signed with one of them; null: the file is not verified
 * @throws RestoreRefused if the file and the database do not match
 */
export async function restoreBackup(
  url: string,
  file: string,
  options: { force: boolean; secretKeys: readonly string[] | null },
): Promise<BackupSize> {
  if (options.secretKeys !== null) await refuseUnverified(file, options.secretKeys);
  const lines = readLines(file);
  const head = readHead(await nextLine(lines));
  const client = new pg.Client({ connectionString: url, application_name: 'rapport restore' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refuseInUse(client);
    const { rows: before } = await client.query<Table>(TABLES);
    if (!options.force) await refuseUsed(client, before);
    const isOlder = await isOfOlderVersion(client, head, before);
    await migrate(url, isOlder ? head.migrations : undefined);
    const { rows: tables } = await client.query<Table>(TABLES);
    await refuseOtherSchema(client, { head, tables });
    const formerJobs = createFormerJobs(client);

    await client.query(SESSION);
    await client.query('begin');
    const rows = await replaceAll(client, { head, lines, formerJobs });
    // The file must not have changed while it was read.
    if (options.secretKeys !== null) await refuseUnverified(file, options.secretKeys);
    await client.query('commit');
    if (isOlder) await migrate(url);
    await formerJobs.adopt();
    await client.query('analyze');
    return { tables: head.tables.length, rows };
  } finally {
    await client.end();
    await lines.return(undefined);
  }
}

async function refuseUnverified(file: string, secretKeys: readonly string[]): Promise<void> {
  const macResult = await verifyMac(file, secretKeys).catch((error: unknown) => {
    throw new RestoreRefused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  });
  if (macResult === 'verified') return;
  const reason =
    macResult === 'changed'
      ? 'The backup was changed after it was written, or was written under another secret key.'
      : 'The backup is not signed: it is cut off, or was written by version 1.0.0.';
  throw new RestoreRefused(`${reason} To restore it anyway, if you trust its source, add --unverified.`);
}

function readHead(line: unknown): Head {
  const head = headSchema.safeParse(line);
  if (!head.success) throw new RestoreRefused('The file is not a backup of Rapport.');
  if (head.data.format !== FORMAT) {
    throw new RestoreRefused(`The backup has format ${head.data.format}, and this version reads format ${FORMAT}.`);
  }
  return head.data;
}

async function refuseInUse(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and usesysid is not null`,
  );
  const others = rows[0]?.others ?? 0;
  if (others > 0) {
    throw new RestoreRefused(`${others} other connections use the database. Stop every Rapport server on it first.`);
  }
}

async function refuseUsed(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    if (FILLED_BY_MIGRATIONS.includes(`${table.schema}.${table.name}`)) continue;
    const { rowCount } = await client.query(`select 1 from ${nameOf(table)} limit 1`);
    if (rowCount === 0) continue;
    throw new RestoreRefused(
      `The database is not empty (${table.name} has rows). To replace all of it, say --force; nothing of it is kept.`,
    );
  }
}

/** Report whether the backup lacks migrations that this version has. Then the database must have no tables yet. */
async function isOfOlderVersion(client: pg.Client, head: Head, before: readonly Table[]): Promise<boolean> {
  const codeMigrations = await migrationNames();
  const missingHere = codeMigrations.filter((name) => !head.migrations.includes(name));
  // A file without any migration is not a backup of ours, whatever it claims.
  if (missingHere.length === 0 || head.migrations.length === 0) return false;
  if (head.migrations.some((name) => !codeMigrations.includes(name))) return false;
  const isNew = before.every((table) => table.schema !== 'public');
  if (isNew) return true;
  const { rows } = await client.query<{ name: string }>('select name from public.migrations');
  // An earlier restore was interrupted: the tables are already those of that version.
  if (rows.every(({ name }) => head.migrations.includes(name))) return true;
  throw new RestoreRefused(
    `The backup was made by an older version (without ${missingHere.join(', ')}). ` +
      'Restore it into a new database, in which no Rapport has been started yet; it is then brought up to date.',
  );
}

async function refuseOtherSchema(
  client: pg.Client,
  { head, tables }: { head: Head; tables: readonly Table[] },
): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select name from public.migrations order by name');
  const here = rows.map((row) => row.name);
  const missing = head.migrations.filter((name) => !here.includes(name));
  const surplus = here.filter((name) => !head.migrations.includes(name));
  if (missing.length > 0) {
    throw new RestoreRefused(
      `The backup was made by a newer version (${missing.join(', ')}). Restore it with that one.`,
    );
  }
  if (surplus.length > 0) {
    throw new RestoreRefused(
      `The backup was made by an older version (without ${surplus.join(', ')}). ` +
        'Restore it with that version into a new database, then start this one on it.',
    );
  }
  const shape = (of: readonly Table[]) =>
    of
      .filter(isIncluded)
      .map((table) => `${nameOf(table)}(${[...table.columns].sort().join()})`)
      .sort();
  if (JSON.stringify(shape(head.tables)) === JSON.stringify(shape(tables))) return;
  throw new RestoreRefused(
    'The tables of the backup are not those of this version. Restore it with the version that made it.',
  );
}

interface Contents {
  readonly head: Head;
  readonly lines: AsyncGenerator<unknown>;
  readonly formerJobs: FormerJobs;
}

async function replaceAll(client: pg.Client, { head, lines, formerJobs }: Contents): Promise<number> {
  const names = head.tables.filter(isIncluded).map(nameOf);
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`);
  const keys = await dropForeignKeys(client);
  // Restored rows are not changes: no notifications are sent, and nothing is computed again.
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  await client.query(`truncate ${names.join(', ')}`);
  const rows = await load(client, { head, lines, formerJobs });
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  // Adding a key checks it against every row.
  for (const key of keys) await client.query(key);
  for (const sequence of head.sequences.filter(isIncluded)) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [
      nameOf(sequence),
      sequence.last_value,
      sequence.is_called,
    ]);
  }
  return rows;
}

/**
 * Drop all foreign keys and return the statements that add them again. Tables reference each other in circles, so no
 * order of loading would satisfy the keys.
 */
async function dropForeignKeys(client: pg.Client): Promise<string[]> {
  // With an empty search path PostgreSQL writes every name in full.
  await client.query("set local search_path = ''");
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and conparentid = 0
        and connamespace in (select oid from pg_namespace where nspname not like 'pg\\_%')`,
  );
  await client.query('set local search_path to default');
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${quoteName(name)}`);
  return rows.map(
    ({ table, name, definition }) => `alter table ${table} add constraint ${quoteName(name)} ${definition}`,
  );
}

async function load(client: pg.Client, { head, lines, formerJobs }: Contents): Promise<number> {
  const inserts = new Map<number, string>();
  let rows = 0;
  for (;;) {
    const line = await nextLine(lines);
    const foot = footSchema.safeParse(line);
    if (foot.success) {
      if (foot.data.rows === rows) return rows;
      throw new RestoreRefused(`The backup is damaged: it should hold ${foot.data.rows} rows, and ${rows} were found.`);
    }
    const batch = batchSchema.safeParse(line);
    const table = batch.success ? head.tables[batch.data[0]] : undefined;
    if (!batch.success || table === undefined)
      throw new RestoreRefused('The backup is damaged: a line of it is not readable.');
    const [index, records] = batch.data;
    rows += records.length;
    if (!isIncluded(table)) {
      await formerJobs.store(table, records);
      continue;
    }
    const insert = inserts.get(index) ?? (await prepareInsert(client, table, index));
    inserts.set(index, insert);
    await client.query(insert, [records]);
  }
}

async function prepareInsert(client: pg.Client, table: Table, index: number): Promise<string> {
  // The row type has the backup's columns in the backup's order, whatever their order in the real table.
  const shape = `restored_${index}`;
  const columns = columnsOf(table);
  await client.query(
    `create temp table ${shape} on commit drop as select ${columns} from ${nameOf(table)} with no data`,
  );
  return `insert into ${nameOf(table)} (${columns}) overriding system value
          select (r).* from (select unnest($1::text[])::pg_temp.${shape} as r offset 0) records`;
}

async function nextLine(lines: AsyncGenerator<unknown>): Promise<unknown> {
  const { done, value } = await lines.next();
  if (done) throw new RestoreRefused('The backup is damaged: its end is missing.');
  return value;
}

async function* readLines(file: string): AsyncGenerator<unknown> {
  const source = createReadStream(file);
  const unpacked: Gunzip = source.on('error', (error) => unpacked.destroy(error)).pipe(createGunzip());
  try {
    let partialLine = '';
    for await (const text of unpacked.setEncoding('utf8')) {
      const lines = `${partialLine}${text}`.split('\n');
      partialLine = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    throw new RestoreRefused(
      `${file} cannot be read as a backup: ${error instanceof Error ? error.message : String(error)}.`,
    );
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
