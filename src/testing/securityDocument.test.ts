/** SECURITY.md names a file and a test for each control: they have to exist. */
import { expect, it } from 'vitest';
import { fileExists, isThere, readRepositoryFile, tableRows, testsIn } from './documentTable.ts';

const rows = tableRows(readRepositoryFile('SECURITY.md')).filter((cells) =>
  cells.some((cell) => cell.includes('src/')),
);

it('has a control, a file and a test in every row', () => {
  expect(rows.length).toBeGreaterThan(40);
  const wrong = rows.filter(([control, where, proof]) => {
    if (!control || !where || !proof) return true;
    return !fileExists(where.replaceAll('`', '')) || !testsIn(proof).every(isThere);
  });
  expect(wrong).toEqual([]);
});

it('finds no test that does not exist', () => {
  expect(isThere({ file: 'src/house.test.ts', title: 'no test is called this' })).toBe(false);
  expect(isThere({ file: 'src/no.test.ts', title: 'is closed' })).toBe(false);
  expect(tableRows('| a | b |\n| --- | --- |\n| c | d |\n')).toEqual([['c', 'd']]);
  expect(testsIn('`a.test.ts`: b; c; `d.test.ts`: e')).toEqual([
    { file: 'a.test.ts', title: 'b; c' },
    { file: 'd.test.ts', title: 'e' },
  ]);
});
