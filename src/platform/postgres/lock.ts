import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DataDirInUse, explainFileError } from './errors.ts';

const holderSchema = z.object({
  pid: z.number().int(),
  since: z.string(),
  url: z.string().optional(),
  migrationsUrl: z.string().optional(),
});

/** Who works on a data directory: process id, start as ISO-8601, and the database's URLs once it is up. */
export type Holder = z.infer<typeof holderSchema>;

export type DataDirLock = {
  /** Lets a second process find the running database. */
  publish(urls: { readonly url: string; readonly migrationsUrl: string }): void;
  release(): void;
};

/**
 * Takes the data directory for this process.
 *
 * The lock is one that the kernel holds for us (SQLite's own on `dataDir/lock`, a file that stays empty), so it ends
 * with the process however the process ends, holds between containers that share a volume, and no stale file has to
 * be judged. `dataDir/holder.json` only tells people, and `npm run db:url`, who it is.
 *
 * @throws DataDirHeld when another process has it, PostgresUnavailable when the directory cannot be written to
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

// A lock that nobody refers to any more would be collected, and with it the file it holds on to.
const openLocks = new Set<DatabaseSync>();

async function acquire(dataDir: string): Promise<DatabaseSync> {
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
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
 * Who holds the data directory now.
 * @returns undefined when nobody does (a left-over holder.json of a killed process does not count)
 */
export function findHolder(dataDir: string): Holder | undefined {
  let database: DatabaseSync;
  try {
    // Read-only, so that asking never makes a lock file in a folder that has none.
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

// A holder that is just ending is given this long; one that is at work is reported after it.
const ACQUIRE_TIMEOUT_MS = 1_500;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function explainUnwritable(error: unknown, dataDir: string) {
  // SQLite says only "unable to open database file"; what stands in the way is nearly always the folder's rights.
  const words = error instanceof Error ? error.message : String(error);
  return explainFileError(new Error(`EACCES: ${words}`), dataDir);
}
