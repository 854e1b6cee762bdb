import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user PostgreSQL runs as. `switched` means it is not the one we run as. */
export type Account = { readonly uid: number; readonly gid: number; readonly switched: boolean };

// PostgreSQL refuses to run as root, and keeping root's capabilities in another user makes the loader ignore the
// bundled libraries; 65534 is `nobody` on Linux and needs no set-up.
const NOBODY = 65534;

/** Who runs PostgreSQL for a cluster in `clusterDir`: ourselves; as root the cluster's owner, or nobody for a new one. */
export function accountFor(clusterDir: string): Account {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) return { uid, gid, switched: false };
  const owner = existsSync(clusterDir) ? statSync(clusterDir) : undefined;
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, switched: true };
  return { uid: NOBODY, gid: NOBODY, switched: true };
}

/** What child_process.spawn needs to start a program as that user. */
export function asAccount(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/** True when the user can pass through every folder from the root down to and including `path`. */
export function canReach(account: Account, path: string): boolean {
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
