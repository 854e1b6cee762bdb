// Which packages of the lock file are shipped: what runs on the server and in the browser, without tools of development.
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
    // The lock file counts the compiler's own parts as optional ones of everybody; they come with the compiler alone.
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
 * A package for another platform, which nobody could look into here, is published with its siblings.
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
