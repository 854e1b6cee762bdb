import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Contents of `postmaster.pid` about the server on a cluster. */
export type Postmaster = { readonly pid: number; readonly status: string };

/** Read the file, without a check that it is still true. */
export function readPostmaster(clusterDir: string): Postmaster | undefined {
  const lines = read(join(clusterDir, 'postmaster.pid'))?.split('\n');
  const pid = Number(lines?.[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, status: lines?.[7]?.trim() ?? '' };
}

/**
 * Find the server that really runs on a cluster, for instance one whose parent was killed.
 *
 * A file left by a crash may name a process id that the system has since given to another program. PostgreSQL itself
 * would then refuse to start, so such files are removed. Only call this while holding the data directory's lock.
 */
export function findPostmaster(clusterDir: string, socketDir: string): Postmaster | undefined {
  const found = readPostmaster(clusterDir);
  if (found === undefined) return undefined;
  if (isPostmasterOf(found.pid, clusterDir)) return found;
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true });
  rmSync(join(socketDir, '.s.PGSQL.5432'), { force: true });
  return undefined;
}

/** Read the command line of the cluster's last server start, as PostgreSQL writes it to `postmaster.opts`. */
export function readCommandLine(clusterDir: string): string | undefined {
  return read(join(clusterDir, 'postmaster.opts'))?.trim();
}

/** Report whether a process with that id is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Send a signal. A process that is already gone is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between, which is what every caller wants.
  }
}

function isPostmasterOf(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false;
  const command = commandOf(pid);
  // The system hides other processes. Signalling an unrelated process is better than starting a second server.
  if (command === undefined) return true;
  return command.includes('postgres') && command.includes(clusterDir);
}

function commandOf(pid: number): string | undefined {
  if (process.platform === 'linux') return read(`/proc/${pid}/cmdline`);
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

/**
 * Report whether the process is a zombie. In a container whose first process does not reap orphans, a dead server stays
 * in the process table.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).startsWith('Z') ?? false;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
