/** SECURITY.md names a file and a test for each control: they have to be there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Row {
  readonly control: string;
  readonly where: string;
  readonly test: string;
  readonly named: string;
}

/** The rows of the tables of controls. */
function rowsOf(document: string): Row[] {
  return document.split('\n').flatMap((line) => {
    const [, control, where, proof] = line.split('|').map((cell) => cell.trim());
    const [, test, named] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(proof ?? '') ?? [];
    return control && where && test && named ? [{ control, where: where.replaceAll('`', ''), test, named }] : [];
  });
}

/** The names of the tests of a file, as they are written: quoted, or in a template. */
function namesIn(file: string): string[] {
  const names: string[] = [];
  for (const [, , name] of read(file).matchAll(
    /\b(?:it|describe|test)(?:\.\w+)?\(?[^'"`\n]*?(['"`])((?:\\.|(?!\1).)*)\1/g,
  ))
    if (name !== undefined) names.push(name.replaceAll("\\'", "'"));
  for (const [, , name] of read(file).matchAll(/^\s*\)?\(?\s*(['"`])((?:\\.|(?!\1).)*)\1,/gm))
    if (name !== undefined) names.push(name.replaceAll("\\'", "'"));
  for (const [, , name] of read(file).matchAll(/\]( as const)?\)\(\s*['"`]((?:\\.|[^'"`])*)['"`]/g))
    if (name !== undefined) names.push(name);
  return names;
}

const document = read('SECURITY.md');
const rows = rowsOf(document);

it('has a control for every row of its tables, and tables enough', () => {
  const lines = document.split('\n').filter((line) => line.startsWith('| ') && line.includes('src/'));
  expect(rows).toHaveLength(lines.length);
  expect(rows.length).toBeGreaterThan(40);
});

it.each(rows)(
  '"$control" holds in a file that is there, and is proved by a test that is there',
  ({ where, test, named }) => {
    expect([where, existsSync(join(ROOT, where))]).toEqual([where, true]);
    expect([test, existsSync(join(ROOT, test))]).toEqual([test, true]);
    expect(
      namesIn(test).filter((name) => name.includes(named)),
      `${test}: ${named}`,
    ).not.toEqual([]);
  },
);

it('finds no test that is not there', () => {
  expect(namesIn('src/house.test.ts').some((name) => name.includes('no test is called this'))).toBe(false);
  expect(rowsOf('| a | `b.ts` | `c.test.ts`: d |')).toEqual([
    { control: 'a', where: 'b.ts', test: 'c.test.ts', named: 'd' },
  ]);
});
