import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeFormulas, toCsv, unescapeFormulas } from './csv.ts';

it('reads defused cells back as they were', () => {
  const sign = fc.constantFrom(...'=+-@＝＋－＠;\t\r\n\'" ab,1'.split(''));
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
      expect(unescapeFormulas(escapeFormulas(text))).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

/** The cells as read by a spreadsheet that splits at `;`, tabs or line breaks, and drops leading quotes and blanks. */
const cellsOf = (text: string): string[] => text.split(/[;\t\r\n]/).map((cell) => cell.replace(/^["\s]+/, ''));

describe('a cell', () => {
  it.each(['=1+1', '+371 29', '-5', '@name', '\tx', '\rx', '＝1+1', '＋1', '－1', '＠x', ' =1', '"=1'])(
    'leaves %j alone, since it is no formula',
    (text) => expect(escapeFormulas(text)).toBe(`'${text}`),
  );

  it.each([
    ["Bob;=1+cmd|' /C calc'!A0", "Bob;'=1+cmd|' /C calc'!A0"],
    ['a\t=1', "a\t'=1"],
    ['a\n=1', "a\n'=1"],
    ['a\r\n@x', "a\r'\n'@x"],
    ['a; "=1', `a;' "=1`],
    ['a;\t＝1', "a;'\t'＝1"],
  ])('defuses %j to %j, each of its lines too', (text, safe) => expect(escapeFormulas(text)).toBe(safe));

  it('starts no line of any cell with a formula', () => {
    const sign = fc.constantFrom(...'=+-@＝＋－＠;\t\r\n" a'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
        for (const cell of cellsOf(toCsv([['x', text]]).replace(/^\ufeff/, '')))
          expect(cell).not.toMatch(/^[=+\-@＝＋－＠]/);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['a=b', 'a=b'],
    ['a; b', 'a; b'],
    [-5, '-5'],
    ['', ''],
  ] as const)('keeps %j as %j', (value, text) => expect(escapeFormulas(value)).toBe(text));
});

it('quotes every cell, so that commas, quotes and line breaks stay inside it', () => {
  expect(
    toCsv([
      ['a,b', 'say "hi"'],
      ['two\nlines', 7],
    ]),
  ).toBe('\ufeff"a,b","say ""hi"""\r\n"two\nlines","7"\r\n');
});
