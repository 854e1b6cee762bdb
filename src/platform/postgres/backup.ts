import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { columnsOf, FORMAT, type Head, nameOf, SESSION, TABLES, type Table } from './archive.ts';
import { appendMac } from './backupMac.ts';

/** Size of a backup. */
export type BackupSize = { readonly tables: number; readonly rows: number };

const ROWS_PER_BATCH = 500;

/**
 * Write everything in the database, as of one instant, to a file. Concurrent writes are not blocked. The file appears
 * under its name only when it is complete and on disk.
 *
 * The backup does not contain the secret key that encrypts secrets in the database. The end of the file authenticates
 * the rest with that key.
 *
 * @param file is replaced if it exists, and never written through; readable by its owner only
 */
export async function writeBackup(url: string, file: string, secretKey: string): Promise<BackupSize> {
  const client = new pg.Client({ connectionString: url, application_name: 'rapport backup' });
  client.on('error', () => undefined);
  await client.connect();
  const unfinished = `${file}.unfinished`;
  try {
    await client.query(SESSION);
    // Every statement in this transaction sees the database as of the first one.
    await client.query('begin isolation level repeatable read read only');
    const head = await readHead(client);
    const size = { tables: head.tables.length, rows: 0 };
    const lines = Readable.from(writeLines(client, head, size));
    // `wx` only creates a new file, so a file or link that another user has put there is never written to.
    await rm(unfinished, { force: true });
    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });
    await pipeline(lines, createGzip({ level: 3 }), appendMac(secretKey), target);
    await client.query('commit');
    await syncToDisk(unfinished);
    await rename(unfinished, file);
    await syncToDisk(dirname(file));
    return size;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw new Error(`There is no space for the backup in ${dirname(file)}. Nothing of it was kept.`, {
        cause: error,
      });
    throw error;
  } finally {
    await client.end();
  }
}

async function readHead(client: pg.Client): Promise<Head> {
  const { rows: tables } = await client.query<Table>(TABLES);
  for (const table of tables) await client.query(`lock table ${nameOf(table)} in access share mode`);
  const hasMigrations = tables.some((table) => table.schema === 'public' && table.name === 'migrations');
  const migrations = hasMigrations
    ? (await client.query<{ name: string }>('select name from public.migrations order by name')).rows
    : [];
  const version = await client.query<{ server_version: string }>('show server_version');
  return {
    rapport: 'backup',
    format: FORMAT,
    made_at: new Date().toISOString(),
    postgres: version.rows[0]?.server_version ?? '',
    migrations: migrations.map((row) => row.name),
    tables,
    sequences: await readSequences(client),
  };
}

/** Sequences are not part of a snapshot. Read after it was taken, they are never behind the rows. */
async function readSequences(client: pg.Client): Promise<Head['sequences']> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select schemaname as schema, sequencename as name from pg_sequences
      where schemaname not like 'pg\\_%' and schemaname <> 'graphile_worker' order by 1, 2`,
  );
  const sequences: Head['sequences'] = [];
  for (const sequence of rows) {
    const state = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${nameOf(sequence)}`,
    );
    for (const row of state.rows) sequences.push({ ...sequence, ...row });
  }
  return sequences;
}

async function* writeLines(client: pg.Client, head: Head, size: { rows: number }): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`;
  for (const [index, table] of head.tables.entries()) {
    const select = `select t::text as row from (select ${columnsOf(table)} from only ${nameOf(table)}) t`;
    await client.query(`declare batch no scroll cursor for ${select}`);
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`fetch ${ROWS_PER_BATCH} from batch`);
      if (rows.length === 0) break;
      size.rows += rows.length;
      yield `${JSON.stringify([index, rows.map(({ row }) => row)])}\n`;
    }
    await client.query('close batch');
  }
  yield `${JSON.stringify({ end: true, rows: size.rows })}\n`;
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
