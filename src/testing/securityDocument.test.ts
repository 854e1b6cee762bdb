/** SECURITY.md names the proof of each requirement and control, which must exist. */
import { expect, it } from 'vitest';
import { fileExists, readRepositoryFile, tableRows, testExists, testsIn } from './documentTable.ts';

const rows = tableRows(readRepositoryFile('SECURITY.md'));
const requirements = rows.filter(([id]) => /^\d+\.\d+\.\d+$/.test(id ?? ''));
const controls = rows.filter(([, where]) => where?.startsWith('`src/'));

const exists = (proof: string): boolean =>
  proof.includes('.test.ts')
    ? testsIn(proof).every(testExists)
    : /^`[^`]+`$/.test(proof) && fileExists(proof.slice(1, -1));

it('has every requirement of levels 1 and 2 once, with its state', () => {
  const byLevel = Object.groupBy(requirements, ([, level]) => level ?? '');
  expect([byLevel['1']?.length, byLevel['2']?.length, requirements.length]).toEqual([70, 183, 253]);
  expect(new Set(requirements.map(([id]) => id)).size).toBe(253);
  for (const [id, , state, how] of requirements)
    expect([id, ['met', 'not applicable', '**not met**'].includes(state ?? ''), how === '']).toEqual([id, true, false]);
});

it('proves what is met by a test or a file that exists', () => {
  const wrong = requirements.filter(([, , state, , proof]) => state === 'met' && !exists(proof ?? ''));
  expect(wrong).toEqual([]);
});

it('has a file and a test for each control beyond them', () => {
  expect(controls.length).toBeGreaterThan(10);
  const wrong = controls.filter(([, where, proof]) => {
    return !fileExists((where ?? '').replaceAll('`', '')) || !exists(proof ?? '');
  });
  expect(wrong).toEqual([]);
});

it('finds no test that does not exist', () => {
  expect(testExists({ file: 'src/app.test.ts', title: 'no test is called this' })).toBe(false);
  expect(testExists({ file: 'src/no.test.ts', title: 'is closed' })).toBe(false);
  expect(tableRows('| a | b |\n| --- | --- |\n| c | d |\n')).toEqual([['c', 'd']]);
  expect(testsIn('`a.test.ts`: b; c; `d.test.ts`: e')).toEqual([
    { file: 'a.test.ts', title: 'b; c' },
    { file: 'd.test.ts', title: 'e' },
  ]);
});
