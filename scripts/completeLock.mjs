// Adds packages of other platforms to the lock file. Run it after a change of dependencies (npm run lock).
//
// npm leaves an optional package out of the lock file when the registry that it queried does not have it, and `npm ci`
// then refuses the lock file on every machine. This script adds such packages of other platforms again, in the exact
// version that their parent names; without a hash, since they were never downloaded.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const path = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = [];

for (const [place, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (place === '' || isLocked(place, name)) continue;
    const platform = platformOf(name);
    if (platform === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
      throw new Error(
        `${name}@${version}, wanted by ${place}, is not in the lock file, and its platform is not known.`,
      );
    }
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platform,
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
    };
    added.push(`${name}@${version}`);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
console.log(added.length === 0 ? 'Nothing was missing.' : `Added ${added.length}:\n${added.join('\n')}`);

function isLocked(place, name) {
  for (let folder = `${place}/`; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    if (lock.packages[`${folder}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

/**
 * Derive operating system, processor and C library from a package's name, which contains them for all of these
 * packages.
 */
function platformOf(name) {
  const words = name.split('/').at(-1)?.split('-') ?? [];
  const os = words.find((word) => ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].includes(word));
  const cpu = words.find((word) => ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'].includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { cpu: [cpu], ...(os === 'linux' && libc !== undefined ? { libc: [libc] } : {}), os: [os] };
}
