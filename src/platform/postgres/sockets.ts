import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, canTraverse, isPrivateFolder } from './account.ts';
import { explainFileError } from './errors.ts';

// The kernel accepts 107 bytes (103 on macOS). Clients append their own suffixes, so we stay well below.
const LONGEST = 90;
const NAME = '.s.PGSQL.5432';

/**
 * Return the folder for the server's socket: the cluster's own or, if the path would exceed 90 bytes, a folder below
 * the system's temporary one that only PostgreSQL's user may enter. It has the same name at every start, so a server
 * that outlived its parent is found again.
 */
export function socketFolder(clusterDir: string, account: Account): string {
  if (fits(clusterDir)) return clusterDir;
  const name = `rapport-${account.uid}-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 12)}`;
  const parents = [tmpdir(), '/tmp', '/var/tmp'].filter(
    (parent) => fits(join(parent, name)) && canTraverse(account, parent),
  );
  const failures: unknown[] = [];
  for (const parent of parents) {
    try {
      return makePrivate(join(parent, name), account);
    } catch (error) {
      failures.push(error);
    }
  }
  throw explainFileError(failures[0] ?? new Error('no temporary folder has a short enough path'), tmpdir());
}

/** Remove a folder made for the socket, unless it is not empty. */
export function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next start uses it again.
  }
}

/**
 * Return a URL for libpq, pg and psql alike. `localhost` only satisfies strict URL parsers; the folder is what counts.
 */
export function socketUrl(folder: string, database: string, role: string): string {
  return `postgresql://${role}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}`;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, NAME)) <= LONGEST;
}

function makePrivate(folder: string, account: Account): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
    if (account.switched) chownSync(folder, account.uid, account.gid);
    return folder;
  } catch (error) {
    if (isPrivateFolder(account, folder)) return folder;
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  // Another user has taken the name: never use a folder that is not ours.
  const other = mkdtempSync(`${folder}-`);
  if (account.switched) chownSync(other, account.uid, account.gid);
  return other;
}
