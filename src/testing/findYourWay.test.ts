/** docs/find-your-way.md leads to the lines it names, in at most two searches, and to the functions of a call. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRepositoryFile, tableRows } from './documentTable.ts';

/** Few enough files to look at all of them. */
const MAX_FOUND = 12;

const sources = readdirSync(join(import.meta.dirname, '..'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
  .map((entry) => join(entry.parentPath, entry.name));

const containing = (words: string, files: readonly string[]): string[] =>
  files.filter((file) => readFileSync(file, 'utf8').toLowerCase().includes(words.toLowerCase()));

const unquoted = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');

describe('find your way', () => {
  const [first = '', second = ''] = readRepositoryFile('docs/find-your-way.md').split('## From the outside to SQL');
  const questions = tableRows(first);

  it('answers questions', () => expect(questions.length).toBeGreaterThanOrEqual(12));

  it.each(questions)('%s', (_question, search, then, file, line) => {
    const found = containing(unquoted(then), containing(unquoted(search), sources));
    expect(found.some((one) => one.endsWith(unquoted(file)))).toBe(true);
    expect(found.length).toBeLessThanOrEqual(MAX_FOUND);
    expect(readRepositoryFile(unquoted(file))).toContain(unquoted(line));
  });

  it.each(tableRows(second))(
    '%s passes through the functions that the document lists, and no more than allowed',
    (_what, chain, most) => {
      // A file in brackets is that of the functions before it.
      const names = [...(chain ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');
      const files = [...new Set([...(chain ?? '').matchAll(/`(src\/[^`]+)`/g)].map(([, file]) => file ?? ''))];
      const text = files.map(readRepositoryFile).join('\n');
      for (const name of names) expect(text).toMatch(new RegExp(`(?:function|const) ${name}\\b`));
      expect(names.length).toBeLessThanOrEqual(Number(most));
    },
  );
});
