/** The lock of a directory: emulators.json tells how to reach the process, emulators.lock keeps a second one out. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const holderSchema = z.object({
  pid: z.number().int(),
  // fetch refuses some ports below 1024.
  port: z.number().int().min(1024).max(65_535),
  token: z.string().min(32),
  startedAt: z.string(),
  version: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

const lockSchema = z.object({ pid: z.number().int(), birth: z.string(), since: z.string() });
type Lock = z.infer<typeof lockSchema>;

/** Another process uses the directory; the message names it, and since when. */
export class DirectoryLockedError extends Error {
  readonly pid: number;
  constructor(dir: string, pid: number, since: string) {
    super(`The emulators of ${dir} already run as process ${pid} since ${since}.`);
    this.name = 'DirectoryHeld';
    this.pid = pid;
  }
}

/** Read emulators.json; null if it is missing or invalid. It may describe a dead process. */
export function readHolder(dir: string): Holder | null {
  const parsed = holderSchema.safeParse(readJson(join(dir, 'emulators.json')));
  return parsed.success ? parsed.data : null;
}

export function writeHolder(dir: string, holder: Holder): void {
  const temporary = join(dir, `emulators.json.${process.pid}`);
  writeFileSync(temporary, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(temporary, join(dir, 'emulators.json'));
}

/**
 * Lock the directory for this process. The lock appears complete (a link to a written file) and is valid only while the
 * process that wrote it runs: its pid and its start time are both compared, because pids are reused.
 */
export function lockDirectory(dir: string): { release: () => void } {
  const file = join(dir, 'emulators.lock');
  const mine: Lock = { pid: process.pid, birth: processStartTime(process.pid) ?? '', since: new Date().toISOString() };
  const written = `${file}.${process.pid}`;
  writeFileSync(written, JSON.stringify(mine), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 10; tries += 1) {
      if (tryLink(written, file)) return { release: () => rmSync(file, { force: true }) };
      const holder = readLock(file);
      if (holder !== null && isLockAlive(holder)) throw new DirectoryLockedError(dir, holder.pid, holder.since);
      removeStaleLock(file);
    }
    throw new Error(`The lock ${file} cannot be taken.`);
  } finally {
    rmSync(written, { force: true });
  }
}

/** Move a dead process's lock aside. If it turns out to be a running process's lock, put it back. */
function removeStaleLock(file: string): void {
  const aside = `${file}.dead.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = readLock(aside);
  if (moved !== null && isLockAlive(moved)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readLock(file: string): Lock | null {
  const parsed = lockSchema.safeParse(readJson(file));
  return parsed.success ? parsed.data : null;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isLockAlive(lock: Lock): boolean {
  if (!isAlive(lock.pid)) return false;
  const birth = processStartTime(lock.pid);
  return birth === null || lock.birth === '' || birth === lock.birth;
}

/** Return whether a process with this pid exists (and is not a zombie, where /proc is available). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return statOf(pid)?.[0] !== 'Z';
}

/** Return the process's start time in clock ticks since boot; null without /proc. */
function processStartTime(pid: number): string | null {
  return statOf(pid)?.[19] ?? null;
}

/** Return the fields of /proc/PID/stat from the state on (the name before it may contain anything). */
function statOf(pid: number): string[] | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
