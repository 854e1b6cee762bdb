import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user that PostgreSQL runs as. `switched` means that it is not the user we run as. */
export type Account = { readonly uid: number; readonly gid: number; readonly switched: boolean };

// PostgreSQL refuses to run as root, and if another user kept root's capabilities, the loader would ignore the bundled
// libraries. A dedicated account is created at the first start as root.
const ACCOUNT_NAME = 'rapport-postgres';

/** Account shared by every program without one of its own. Only used where accounts cannot be created. */
const NOBODY: Account = { uid: 65534, gid: 65534, switched: true };

/** Commands that create a system account without a home or a login: shadow-utils, then busybox. */
const CREATE: readonly (readonly [string, ...string[]])[] = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/bin/false'],
  ['adduser', '-S', '-D', '-H', '-h', '/nonexistent', '-s', '/bin/false'],
];

/** Run a program of the system and return its output. Throws if it fails. */
export type RunProgram = (program: string, args: readonly string[]) => string;

const runProgram: RunProgram = (program, args) =>
  execFileSync(program, args, {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/**
 * Return the account that PostgreSQL runs as when we are root: `rapport-postgres`, created if it does not exist yet.
 * @returns `nobody` where no account can be created (no such program, a read-only /etc)
 */
export function ensureAccount(run: RunProgram = runProgram): Account {
  const existing = findAccount(run);
  if (existing !== undefined) return existing;
  for (const [program, ...args] of CREATE) {
    try {
      run(program, [...args, ACCOUNT_NAME]);
    } catch {
      // Another start may have created it meanwhile; otherwise the next command is tried.
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

/** Report whether other programs of the system run as this account too. */
export function isShared(account: Account): boolean {
  return account.switched && account.uid === NOBODY.uid;
}

/**
 * Return the account that runs PostgreSQL for a cluster in `clusterDir`. Without root it is our own. As root it is the
 * cluster's owner, or the dedicated account for a new cluster and for one that belongs to `nobody` (created by 1.0.0)
 * or to root (an interrupted move).
 */
export function accountFor(clusterDir: string): Account {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) return { uid, gid, switched: false };
  const owner = existsSync(clusterDir) ? statSync(clusterDir) : undefined;
  if (owner === undefined || owner.uid === 0 || owner.uid === NOBODY.uid) return ensureAccount();
  return { uid: owner.uid, gid: owner.gid, switched: true };
}

/** Return what child_process.spawn needs to start a program as that user. */
export function asAccount(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/** Report whether the user can pass through every folder from the root down to and including `path`. */
export function canTraverse(account: Account, path: string): boolean {
  if (!account.switched) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    if (!allows(account, folder, 0o1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Report whether the user may read the file or folder itself. */
export function canRead(account: Account, path: string): boolean {
  return !account.switched || allows(account, path, 0o4);
}

/** Report whether `path` is a folder of that user that no other user may enter. */
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
