// The shipped packages of the lock file: those that run on the server and in the browser, without development tools.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/**
 * @param {any} lock package-lock.json
 * @returns {{ place: string, name: string, version: string, licence: string }[]} by name and version
 */
export function shippedPackages(lock) {
  /** @type {{ place: string, name: string, version: string, licence: string }[]} */
  const shipped = [];
  for (const [place, one] of Object.entries(lock.packages)) {
    // The lock file lists the compiler's own parts as optional dependencies of every package; only the compiler
    // installs them.
    if (place === '' || one.dev || one.devOptional || place.includes('@typescript/typescript-')) continue;
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = one.license ?? licenceIn(place) ?? siblingLicence(lock, name);
    shipped.push({ place, name, version: one.version, licence });
  }
  return shipped.sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : a.version > b.version ? 1 : 0,
  );
}

/** @param {string} place */
function licenceIn(place) {
  const file = join(root, place, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license } = JSON.parse(readFileSync(file, 'utf8'));
  return typeof license === 'string' ? license : undefined;
}

/**
 * Return the licence of a sibling package: a package for another platform is not installed here, but is published
 * together with its siblings.
 * @param {any} lock
 * @param {string} name
 */
function siblingLicence(lock, name) {
  const family = name.replace(/(linux|darwin|win32).*$/, '');
  for (const [place, one] of Object.entries(lock.packages)) {
    const sibling = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (family === name || !sibling.startsWith(family)) continue;
    const licence = one.license ?? licenceIn(place);
    if (licence !== undefined) return licence;
  }
  return 'unknown';
}
