import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Account, accountFor, asAccount, canTraverse } from './account.ts';
import type { Binaries } from './binaries.ts';
import { explainFailure, explainFileError, PostgresUnavailable } from './errors.ts';
import { SUPERUSER } from './roles.ts';

/** Location of a data directory's database files, and the account that runs PostgreSQL on them. */
export type Cluster = { readonly dir: string; readonly account: Account; readonly exists: boolean };

/** Folder for clusters whose data directory is out of reach for the user that PostgreSQL runs as. */
const OUTSIDE_DIR = '/var/lib/rapport';

/**
 * Create the data directory if it does not exist.
 * @returns its real path: locks, names and pointers must not depend on the path by which it was reached
 * @throws PostgresUnavailable if it cannot be created
 */
export function prepareDataDir(dataDir: string): string {
  try {
    const isNew = mkdirSync(dataDir, { recursive: true }) !== undefined;
    const dir = realpathSync(dataDir);
    if (isNew) {
      const { gid, switched } = accountFor(join(dir, 'pg'));
      // PostgreSQL's account has to reach the cluster, which is created next. `closeFolder` has the rule.
      if (switched) chownSync(dir, 0, gid);
      chmodSync(dir, switched ? 0o710 : 0o700);
    }
    return dir;
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
}

/**
 * Find the cluster of a data directory. `pg` is the cluster itself, or a file with the path of a cluster elsewhere. If
 * there is neither, return where to create a new one.
 * @throws PostgresUnavailable if we may not use the cluster
 */
export function locateCluster(dataDir: string): Cluster {
  const localDir = join(dataDir, 'pg');
  const stat = statSync(localDir, { throwIfNoEntry: false });
  if (stat === undefined) return locateNewCluster(dataDir, localDir);
  const dir = stat.isFile() ? readFileSync(localDir, 'utf8').trim() : localDir;
  if (stat.isFile()) checkPointer(dataDir, dir);
  const owner = statSync(dir).uid;
  const account = accountFor(dir);
  if (!account.switched && owner !== account.uid) {
    throw new PostgresUnavailable(
      `The database in ${dir} belongs to the user with id ${owner}, and Rapport runs as ${account.uid}. ` +
        'Start it as that user or as root, or set RAPPORT_DATA_DIR to another folder.',
    );
  }
  // A cluster that will be moved to another account only needs its parent to be passable: after the move the account
  // can enter it.
  if (!canTraverse(account, owner === account.uid ? dir : dirname(dir))) {
    throw new PostgresUnavailable(
      `The database in ${dir} belongs to the user with id ${account.uid}, who may not pass through a folder above it. ` +
        'Let others pass (chmod o+x) or move the data directory.',
    );
  }
  return { dir, account, exists: true };
}

/**
 * Create a new, empty cluster. It gets its name only when it is complete, so a start that dies in between leaves
 * nothing half-made.
 * @throws PostgresUnavailable with the reason
 */
export async function createCluster(dataDir: string, cluster: Cluster, binaries: Binaries): Promise<void> {
  const { dir, account } = cluster;
  const unfinished = `${dir}.new`;
  const isOutside = relative(dataDir, dir).startsWith('..');
  try {
    if (isOutside && mkdirSync(dirname(dir), { recursive: true }) !== undefined) chmodSync(dirname(dir), 0o755);
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    if (account.switched) chownSync(unfinished, account.uid, account.gid);
    await initdb(unfinished, account, binaries);
    renameSync(unfinished, dir);
    if (isOutside) {
      writeFileSync(`${dir}.belongs-to`, `${dataDir}\n`, { mode: 0o600 });
      writeFileSync(join(dataDir, 'pg'), `${dir}\n`, { mode: 0o600 });
    }
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error instanceof PostgresUnavailable ? error : explainFileError(error, dirname(dir));
  }
}

function locateNewCluster(dataDir: string, localDir: string): Cluster {
  const account = accountFor(localDir);
  if (canTraverse(account, dataDir)) return { dir: localDir, account, exists: false };
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  // A cluster of that name without a pointer to it belongs to a data directory that was deleted. It is kept and never
  // reused.
  let dir = join(OUTSIDE_DIR, name);
  for (let n = 2; existsSync(dir); n += 1) dir = join(OUTSIDE_DIR, `${name}-${n}`);
  return { dir, account, exists: false };
}

function checkPointer(dataDir: string, dir: string): void {
  if (!existsSync(join(dir, 'PG_VERSION'))) {
    throw new PostgresUnavailable(
      `The data directory ${dataDir} says that its database lies in ${dir}, and there is none. ` +
        'Put it back, or restore a backup into a new data directory (npm run restore).',
    );
  }
  // A copied data directory contains a copy of the pointer. Two servers on one cluster would destroy it.
  const note = `${dir}.belongs-to`;
  const owner = existsSync(note) ? readFileSync(note, 'utf8').trim() : dataDir;
  if (owner === dataDir) return;
  const pointer = join(owner, 'pg');
  if (existsSync(pointer) && statSync(pointer).isFile() && readFileSync(pointer, 'utf8').trim() === dir) {
    throw new PostgresUnavailable(
      `The data directory ${dataDir} is a copy: the database in ${dir} belongs to ${owner}. ` +
        'To copy a whole installation, use npm run backup and npm run restore.',
    );
  }
  writeFileSync(note, `${dataDir}\n`, { mode: 0o600 });
}

async function initdb(dir: string, account: Account, binaries: Binaries): Promise<void> {
  // The builtin provider sorts the same on every platform and needs no locale of the system.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', dir, '-U', SUPERUSER, '--auth=peer', '--no-instructions', ...locale];
  const child = spawn(binaries.initdb, args, {
    ...asAccount(account),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw explainFailure(output, dirname(dir));
}
