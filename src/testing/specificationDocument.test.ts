/** docs/specification.md names a test for each requirement and each finding, which must exist. */
import { expect, it } from 'vitest';
import { readRepositoryFile, tableRows, testExists, testsIn } from './documentTable.ts';

const rows = tableRows(readRepositoryFile('docs/specification.md'));

it('names an existing test for every requirement and every finding', () => {
  const wrong = rows.filter(([number, , tests]) => !number || !testsIn(tests ?? '').every(testExists));
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(400);
});

it('numbers each requirement and finding once', () => {
  const numbers = rows.map(([number]) => number);
  expect(numbers.filter((one, index) => numbers.indexOf(one) !== index)).toEqual([]);
});
