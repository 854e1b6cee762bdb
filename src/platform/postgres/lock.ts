import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DataDirInUse, explainFileError } from './errors.ts';
import { ensurePrivateFile } from './privateFiles.ts';

const holderSchema = z.object({
  pid: z.number().int(),
  since: z.string(),
  url: z.string().optional(),
  migrationsUrl: z.string().optional(),
});

/** The process that uses a data directory: process id, start as ISO-8601, and the database's URLs once it is up. */
export type Holder = z.infer<typeof holderSchema>;

export type DataDirLock = {
  /** Publish the URLs, so that a second process finds the running database. */
  publish(urls: { readonly url: string; readonly migrationsUrl: string }): void;
  release(): void;
};

/**
 * Lock the data directory for this process.
 *
 * The kernel holds the lock for us (SQLite's own lock on `dataDir/lock`, a file that stays empty). So it ends with the
 * process however the process ends, works between containers that share a volume, and never leaves a stale file to
 * judge. `dataDir/holder.json` only tells people, and `npm run db:url`, which process it is.
 *
 * @throws DataDirInUse if another process holds the lock, PostgresUnavailable if the directory is not writable
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const since = new Date().toISOString();
  const holderFile = join(dataDir, 'holder.json');
  const database = await acquire(dataDir);
  openLocks.add(database);
  const write = (holder: Holder) => {
    try {
      writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    } catch (error) {
      database.close();
      throw explainFileError(error, dataDir);
    }
  };
  write({ pid: process.pid, since });
  return {
    publish: ({ url, migrationsUrl }) => write({ pid: process.pid, since, url, migrationsUrl }),
    release() {
      if (!database.isOpen) return;
      rmSync(holderFile, { force: true });
      database.close();
      openLocks.delete(database);
    },
  };
}

// Keep a reference: an unreferenced database object would be garbage-collected, and its lock released.
const openLocks = new Set<DatabaseSync>();

async function acquire(dataDir: string): Promise<DatabaseSync> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      // SQLite gives its journal the mode of the lock.
      ensurePrivateFile(join(dataDir, 'lock'));
      database = new DatabaseSync(join(dataDir, 'lock'));
      database.exec('BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database?.close();
      if (!isBusy(error)) throw explainUnwritable(error, dataDir);
    }
    if (performance.now() > deadline) {
      throw new DataDirInUse(`${describeHolder(dataDir)} Stop it first, or set RAPPORT_DATA_DIR to another folder.`);
    }
    await pause(50);
  }
}

/**
 * Return the process that holds the data directory now.
 * @returns undefined if there is none (a holder.json left by a killed process does not count)
 */
export function findHolder(dataDir: string): Holder | undefined {
  let database: DatabaseSync;
  try {
    // Read-only, so that asking never creates a lock file in a folder that has none.
    database = new DatabaseSync(join(dataDir, 'lock'), { readOnly: true });
  } catch {
    return undefined;
  }
  try {
    database.exec('SELECT count(*) FROM sqlite_master');
    return undefined;
  } catch (error) {
    return isBusy(error) ? readHolder(dataDir) : undefined;
  } finally {
    database.close();
  }
}

function describeHolder(dataDir: string): string {
  const holder = readHolder(dataDir);
  if (holder === undefined) return `Another process is using the data directory ${dataDir}.`;
  return `The data directory ${dataDir} is in use by process ${holder.pid}, since ${holder.since}.`;
}

function readHolder(dataDir: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

const SQLITE_BUSY = 5;

// Milliseconds to wait for a holder that is just ending. After that the holder is reported.
const ACQUIRE_TIMEOUT_MS = 1_500;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function explainUnwritable(error: unknown, dataDir: string) {
  // SQLite says only "unable to open database file"; the cause is nearly always the permissions of the folder.
  const words = error instanceof Error ? error.message : String(error);
  return explainFileError(new Error(`EACCES: ${words}`), dataDir);
}
