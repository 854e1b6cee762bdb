/**
 * Prints how many places write the tables of the engine and know its rules: `npm run engine-figures [folder]`, by default of
 * this checkout. Counted by search in the product's code and the functions of the database.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? join(import.meta.dirname, '..');

/** Functions that keep the ledger of outcomes, which only records. */
const LEDGER =
  /^(?:count_|outcome_|recount_|stamp_|number_|is_exchanged|classify_outcome|open_outcome|follow_up_facts)/;

/** @param {string} folder */
const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      path: join(parentPath, name).slice(root.length + 1),
      name,
      text: readFileSync(join(parentPath, name), 'utf8'),
    }));

const product = filesIn('src').filter(
  ({ path }) => /\.tsx?$/.test(path) && !/\.test\.|^src\/(?:proofs|testing|sandbox)\//.test(path),
);
const functions = filesIn('migrations/functions').filter(({ name }) => !LEDGER.test(name));
const all = [...product, ...functions];
const stores = all.filter(({ path }) => /store\.ts$|\/store\/|engine\/postgres\/|^migrations\//.test(path));

/**
 * @param {readonly { text: string }[]} files
 * @param {RegExp} pattern
 */
const count = (files, pattern) => files.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);

/** @param {string} table */
const writers = (table) =>
  new RegExp(
    `(?:update|insert into|delete from)\\s+${table}\\b|(?:updateTable|insertInto|deleteFrom)\\('${table}'|updates\\('${table}'`,
    'gi',
  );

/** @type {readonly (readonly [string, string | number])[]} */
const rows = [
  ['statements that write dialogues', count(all, writers('dialogues'))],
  ['statements that write messages', count(all, writers('messages'))],
  ['`case when` in stores and functions, but for the ledger', count(stores, /\bcase\s+(?:\S+\s+)?when\b/gi)],
  ['triggers, but for the ledger', count(functions, /create or replace (?:constraint )?trigger/gi)],
  ['hidden settings of a transaction', count(all, /set_config\('rapport\./g)],
  ['maps by the context of the app', count(product, /WeakMap<AppContext/g)],
  ['files that name the tables of graphile-worker', all.filter(({ text }) => text.includes('graphile_worker')).length],
  [
    'lines of the engine in memory',
    count(
      product.filter(({ path }) => path.startsWith('src/outreach/memory/')),
      /\n/g,
    ),
  ],
];
for (const [name, value] of rows) console.log(`${name.padEnd(56)} ${value}`);
