/** Access rules of the embedded server: who may connect, and as which role. */
import { randomBytes } from 'node:crypto';
import { closeSync, fchownSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { explainFailure } from './errors.ts';
import { APP_ROLE, MIGRATIONS_ROLE, SUPERUSER } from './roles.ts';
import { socketUrl } from './sockets.ts';

const DATABASE = 'rapport';

/** The URLs of one database, one for each role. */
export type DatabaseUrls = { readonly url: string; readonly migrationsUrl: string; readonly superuserUrl: string };

/** Return the URLs of the three roles on the server with its socket in the given folder. */
export function databaseUrls(socketDir: string): DatabaseUrls {
  return {
    url: socketUrl(socketDir, DATABASE, APP_ROLE),
    migrationsUrl: socketUrl(socketDir, DATABASE, MIGRATIONS_ROLE),
    superuserUrl: socketUrl(socketDir, DATABASE, SUPERUSER),
  };
}

/**
 * Write the server's access rules: connections through the socket only, and only from processes of the user that we run
 * as, which the kernel vouches for (`peer`).
 * @returns whether the rules have changed, so that a server running with the old ones must be stopped
 */
export function writeAccessRules(cluster: Cluster): boolean {
  const roles = [SUPERUSER, MIGRATIONS_ROLE, APP_ROLE];
  const user = `"${userName(cluster).replaceAll('"', '""')}"`;
  const notice = '# Written by Rapport at each start.\n';
  const changed = [
    replaceFile(cluster, 'pg_hba.conf', `${notice}local all ${roles.join(',')} peer map=rapport\n`),
    replaceFile(cluster, 'pg_ident.conf', `${notice}${roles.map((role) => `rapport ${user} ${role}\n`).join('')}`),
  ];
  return changed.includes(true);
}

function userName(cluster: Cluster): string {
  try {
    return userInfo().username;
  } catch {
    throw explainFailure('could not look up effective user ID: user does not exist', cluster.dir);
  }
}

/** Replace a file. The folder belongs to another user, so never write through a link in it. */
function replaceFile({ dir, account }: Cluster, name: string, text: string): boolean {
  const file = join(dir, name);
  if (readFileSync(file, 'utf8') === text) return false;
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(handle, text);
    if (account.switched) fchownSync(handle, account.uid, account.gid);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
  return true;
}

const ROLES = `
  do $$
  declare role text;
  begin
    foreach role in array array['${MIGRATIONS_ROLE}', '${APP_ROLE}'] loop
      if not exists (select from pg_roles where rolname = role) then
        execute format('create role %I login', role);
        -- Figures of the system page: what runs, and since when, whoever began it.
        execute format('grant pg_read_all_stats to %I', role);
      end if;
    end loop;
  end $$`;

const TRANSFER_OWNERSHIP = join(import.meta.dirname, '../../../migrations/hand_over.sql');

/** Create the roles and the database `rapport` if they are missing. The migrations' role owns the database. */
export async function ensureDatabase(socketDir: string): Promise<void> {
  try {
    await inDatabase(socketDir, DATABASE, async (client) => {
      const { rowCount } = await client.query(
        `select from pg_database d join pg_roles r on r.oid = d.datdba where d.datname = current_database() and r.rolname = $1`,
        [MIGRATIONS_ROLE],
      );
      if (rowCount === 1) return;
      await client.query(ROLES);
      await client.query(readFileSync(TRANSFER_OWNERSHIP, 'utf8'));
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '3D000')) throw error;
    await inDatabase(socketDir, 'postgres', async (client) => {
      await client.query(ROLES);
      await client.query(`create database ${DATABASE} owner ${MIGRATIONS_ROLE}`);
    });
  }
}

async function inDatabase(
  socketDir: string,
  database: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const connectionString = socketUrl(socketDir, database, SUPERUSER);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
