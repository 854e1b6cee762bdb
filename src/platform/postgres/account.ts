import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user PostgreSQL runs as. `switched` means it is not the one we run as. */
export type Account = { readonly uid: number; readonly gid: number; readonly switched: boolean };

// PostgreSQL refuses to run as root, and keeping root's capabilities in another user makes the loader ignore the
// bundled libraries. The account of its own is made at the first start as root.
const ACCOUNT_NAME = 'rapport-postgres';

/** Shared by whatever else has no account of its own; only used where accounts cannot be created. */
const NOBODY: Account = { uid: 65534, gid: 65534, switched: true };

/** Ways to create a system account without a home or a login: shadow-utils, then busybox. */
const CREATE: readonly (readonly [string, ...string[]])[] = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/bin/false'],
  ['adduser', '-S', '-D', '-H', '-h', '/nonexistent', '-s', '/bin/false'],
];

/** Runs a program of the system and returns its output; throws when it fails. */
export type RunProgram = (program: string, args: readonly string[]) => string;

const runProgram: RunProgram = (program, args) =>
  execFileSync(program, args, {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/**
 * The account that PostgreSQL runs under when we are root: `rapport-postgres`, created when it does not exist yet.
 * @returns `nobody` where no account can be created (no such program, a read-only /etc)
 */
export function ensureAccount(run: RunProgram = runProgram): Account {
  const existing = findAccount(run);
  if (existing !== undefined) return existing;
  for (const [program, ...args] of CREATE) {
    try {
      run(program, [...args, ACCOUNT_NAME]);
    } catch {
      // Another start may have created it meanwhile; else the next way is tried.
    }
    const account = findAccount(run);
    if (account !== undefined) return account;
  }
  return NOBODY;
}

function findAccount(run: RunProgram): Account | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(run('id', [flag, ACCOUNT_NAME])));
    return uid && gid ? { uid, gid, switched: true } : undefined;
  } catch {
    return undefined;
  }
}

/** True when other programs of the system run under this account too. */
export function isShared(account: Account): boolean {
  return account.switched && account.uid === NOBODY.uid;
}

/**
 * Who runs PostgreSQL for a cluster in `clusterDir`: ourselves; as root the cluster's owner, or an account of its own for
 * a new cluster and for one that belongs to `nobody` (made by 1.0.0) or to root (a move that was interrupted).
 */
export function accountFor(clusterDir: string): Account {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) return { uid, gid, switched: false };
  const owner = existsSync(clusterDir) ? statSync(clusterDir) : undefined;
  if (owner === undefined || owner.uid === 0 || owner.uid === NOBODY.uid) return ensureAccount();
  return { uid: owner.uid, gid: owner.gid, switched: true };
}

/** What child_process.spawn needs to start a program as that user. */
export function asAccount(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/** True when the user can pass through every folder from the root down to and including `path`. */
export function canTraverse(account: Account, path: string): boolean {
  if (!account.switched) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    if (!allows(account, folder, 0o1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** True when the user may read the file or folder itself. */
export function canRead(account: Account, path: string): boolean {
  return !account.switched || allows(account, path, 0o4);
}

/** True when `path` is a folder of that user which nobody else may enter. */
export function isPrivateFolder(account: Account, path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return false;
  return stat.uid === account.uid && (stat.mode & 0o077) === 0;
}

function allows(account: Account, path: string, bit: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const shift = stat.uid === account.uid ? 6 : stat.gid === account.gid ? 3 : 0;
  return ((stat.mode >> shift) & bit) === bit;
}
