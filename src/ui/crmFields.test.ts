import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CrmEntry, duplicateCrmKeys, parseCrmFields, parseCrmValue, toCrmEntries } from './crmFields.ts';

const typed = (key: string, text: string): CrmEntry => ({ key, text, stored: null });

test.each([
  ['5', 5],
  ['-3', -3],
  ['10.25', 10.25],
  [' 42 ', 42],
  ['007', '007'],
  ['0.5', 0.5],
  ['0', 0],
  ['-0', 0],
  ['1.50', 1.5],
  ['1e5', 100_000],
  ['2.5E-3', 0.0025],
  ['.5', 0.5],
  ['00.5', '00.5'],
  ['-012', '-012'],
  ['+7', '+7'],
  ['5.', '5.'],
  ['e5', 'e5'],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
  ['Infinity', 'Infinity'],
  ['0x1F', '0x1F'],
  ['371200000000000', 371_200_000_000_000],
  ['3712000000000000', '3712000000000000'],
  ['12345678901234567890', '12345678901234567890'],
  ['red, green ,, blue', ['red', 'green', 'blue']],
  ['1,5', ['1', '5']],
  ['two words', 'two words'],
])('reads %j as %j', (text, value) => {
  expect(parseCrmValue(text)).toEqual(value);
});

test('ignores an entry with a blank key or value', () => {
  const entries = [typed('city', 'Riga'), typed(' ', 'lost'), typed('empty', '  '), typed(' budget ', '900')];
  expect(parseCrmFields(entries)).toEqual({ city: 'Riga', budget: 900 });
});

test('keeps unedited values unchanged', () => {
  const stored = { note: 'one, two', phone: '371', alone: ['x'], listed: ['a, b', 'c'], blank: '', count: 3 };
  expect(parseCrmFields(toCrmEntries(stored))).toEqual(stored);
});

test('parses an edited line again', () => {
  const [entry] = toCrmEntries({ phone: '371' });
  expect(entry && parseCrmFields([{ ...entry, text: '372' }])).toEqual({ phone: 372 });
});

test('names a duplicate key once', () => {
  expect(
    duplicateCrmKeys([typed('a', '1'), typed(' a', '2'), typed('a', '3'), typed('b', '1'), typed('c', '')]),
  ).toEqual(['a']);
});

test('never parses a number as another one', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?\d{1,25}(\.\d{1,25})?$/), (text) => {
      const value = parseCrmValue(text);
      if (typeof value !== 'number') return value === text;
      const places = text.split('.')[1]?.length ?? 0;
      return value.toFixed(places) === text.replace(/^-(?=0(\.0*)?$)/, '');
    }),
  );
});
