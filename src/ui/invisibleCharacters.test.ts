import { expect, it } from 'vitest';
import { splitInvisibleCharacters } from './invisibleCharacters.ts';

/** Return the text with its invisible characters written out. */
const rendered = (text: string): string =>
  splitInvisibleCharacters(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.code}>`))
    .join('');

it.each([
  ['plain text,\n\twith lines', 'plain text,\n\twith lines'],
  ['price\u00a05\u202f000 €', 'price\u00a05\u202f000 €'],
  ['pay\u200bpal', 'pay<U+200B>pal'],
  ['\u202eexe.gpj', '<U+202E>exe.gpj'],
  ['a\u0000b\u007f', 'a<U+0000>b<U+007F>'],
  ['hi\u{e0069}\u{e0067}', 'hi<U+E0069><U+E0067>'],
  ['a\u{e0101}', 'a<U+E0101>'],
  ['x\ufe0f', 'x<U+FE0F>'],
  ['a\u200db', 'a<U+200D>b'],
])('shows %j as %j', (text, expected) => expect(rendered(text)).toBe(expected));

it.each(['❤️', '👩‍👩‍👧', '👩🏽‍🚀', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'می‌خواهم'])('leaves %s unchanged', (text) => {
  expect(splitInvisibleCharacters(text)).toEqual([{ kind: 'text', text }]);
});

it('names each invisible character', () => {
  const names = splitInvisibleCharacters('\u200b\u0001\u{e0041}\u2067\u3164').map(
    (piece) => piece.kind === 'invisible' && piece.name,
  );
  expect(names).toEqual([
    'zero-width space',
    'control character',
    'tag character',
    'change of direction',
    'invisible character',
  ]);
});
