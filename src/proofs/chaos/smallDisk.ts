/** A small file system that can be filled to the last byte; needs root on Linux. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Take all free space; a later call takes what has become free since. */
  fill(): void;
  /** Free the space again. */
  free(): void;
  close(): void;
}

/** Mount a small file system. Throws a readable error where mounting is not permitted. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'rapport-disk-'));
  // PostgreSQL runs as another user, which must be able to pass this folder.
  chmodSync(path, 0o711);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(path);
    const reason = error instanceof Error ? error.message.split('\n').at(-1) : String(error);
    throw new Error(`A full disk needs a small file system, which only root can mount, on Linux: ${reason}`, {
      cause: error,
    });
  }
  const fillFile = join(path, 'ballast');
  const chunk = Buffer.alloc(1 << 20, 1);
  return {
    path,
    fill() {
      const file = openSync(fillFile, 'a');
      try {
        // Whole megabytes first, then the rest of a page.
        for (const size of [chunk.length, 4096, 1]) {
          for (;;) {
            try {
              if (writeSync(file, chunk, 0, size) < size) break;
            } catch {
              break;
            }
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(fillFile, { force: true }),
    close() {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}
