/**
 * The modes of what we write into the data directory: files 0600, folders 0700, whatever the umask is. A lock that
 * others can open is a lock that they can hold, and so keep us from starting.
 */
import { chmodSync, chownSync, closeSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { PostgresLog } from './server.ts';

/** Files that we write directly into a data directory. `pg` is a file if the cluster is elsewhere. */
const OUR_FILES = ['lock', 'lock-journal', 'holder.json', 'postgres.log', 'secret.key', 'pg'];
/** Folders that we, or the sandbox, make in it. Each is 0700 from its beginning. */
const OUR_FOLDERS = ['pg', 'pg.new', 'emulators'];

const FOR_OTHERS = 0o077;

/** Create an empty file for us alone; an existing one is closed to others. */
export function ensurePrivateFile(file: string): void {
  try {
    // Never open an existing lock: closing it again would release the lock that this process holds on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    closeToOthers(file);
  }
}

/** Close the files of a data directory that an earlier version, or an unpacked archive, left open to others. */
export function closeOwnFiles(dataDir: string): void {
  for (const name of OUR_FILES) {
    const stat = lstatSync(join(dataDir, name), { throwIfNoEntry: false });
    if (stat?.isFile()) closeToOthers(join(dataDir, name));
  }
}

/**
 * Close the data directory itself: 0700. If PostgreSQL runs under another account (we are root) and its cluster is in
 * the directory, that account's group may pass through (0710), and nobody else. A directory that also holds files for
 * others is left as it is.
 */
export function closeFolder(dataDir: string, { dir, account }: Cluster, log: PostgresLog): void {
  const isInside = dirname(dir) === dataDir;
  const group = account.switched && isInside ? account.gid : null;
  const wanted = group === null ? 0o700 : 0o710;
  const stat = lstatSync(dataDir);
  if ((stat.mode & 0o777 & ~wanted) === 0 && (group === null || stat.gid === group)) return;
  const foreign = readdirSync(dataDir).filter((name) => isForOthers(dataDir, name));
  if (foreign.length > 0) {
    const facts = { folder: dataDir, files: foreign.slice(0, 10) };
    log.warn(facts, 'Other users can enter the data directory, which also holds files that they can read.');
    return;
  }
  try {
    if (group !== null) chownSync(dataDir, stat.uid, group);
    chmodSync(dataDir, (stat.mode & 0o700) | wanted);
  } catch {
    log.warn({ folder: dataDir }, 'Other users can enter the data directory, which belongs to another user.');
  }
}

function isForOthers(dataDir: string, name: string): boolean {
  if (OUR_FILES.includes(name) || OUR_FOLDERS.includes(name)) return false;
  return isOpen(lstatSync(join(dataDir, name), { throwIfNoEntry: false }));
}

const isOpen = (stat: Stats | undefined): boolean =>
  stat !== undefined && !stat.isSymbolicLink() && (stat.mode & FOR_OTHERS) !== 0;

function closeToOthers(file: string): void {
  const stat = lstatSync(file);
  if (!isOpen(stat)) return;
  try {
    chmodSync(file, stat.mode & 0o700);
  } catch {
    // It belongs to another user. Whether we can use it, its use will show.
  }
}
