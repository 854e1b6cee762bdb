import { describe, expect, it } from 'vitest';
import { csvOf, defused, undefused } from './csv.ts';

it.each(['=1+1', '+371 29', 'plain', "'quoted'", ''])('%j comes back as it was', (text) =>
  expect(undefused(defused(text))).toBe(text),
);

describe('a cell', () => {
  it.each(['=1+1', '+371 29', '-5', '@name', '\tx', '\rx'])('%j is no formula', (text) =>
    expect(defused(text)).toBe(`'${text}`),
  );
  it.each([
    ['a=b', 'a=b'],
    [-5, '-5'],
    ['', ''],
  ] as const)('%j stays %j', (value, text) => expect(defused(value)).toBe(text));
});

it('commas, quotes and line breaks stay inside their cell', () => {
  expect(
    csvOf([
      ['a,b', 'say "hi"'],
      ['two\nlines', 7],
    ]),
  ).toBe('\ufeff"a,b","say ""hi"""\r\n"two\nlines",7\r\n');
});
