/** What says who somebody is does not pass the scrubber. */
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { createScrubber } from './scrub.ts';

const scrubber = createScrubber(
  ['Anna Snegurkina', 'Иванова Мария Петровна', 'Li', 'Kitchen 2nd floor'],
  'a kitchen costs 4200 euros',
);

test.each([
  ['Call me at +7 (999) 123-45-67, please', 'Call me at …, please'],
  ['8 9 9 9 1 2 3 4 5 6 7', ''],
  ['my passport is 4509 123456', 'my passport is …'],
  ['write to anna.s+x@mail.example.org or @anna_s', 'write to … or …'],
  ['see https://example.org/a?b=c and shop.example.com/x', 'see … and …'],
  ['I live at 12 Baker Street, apt. 4', 'I live at …'],
  ['Живу на ул. Ленина, д. 5, кв. 12', 'Живу на …'],
  ['Hauptstraße 5 in Bonn', '… in Bonn'],
  ['born on 1.2.1985', 'born on …'],
  ['Snegurkina, ANNA asks', '… asks'],
  ['спросите Марию Петровну или Ивановой дайте', 'спросите … или … дайте'],
  ['li writes, but I like lions', '… writes, but I like lions'],
  ['How much is a kitchen of 12 m2 in 5 weeks?', 'How much is a kitchen of 12 m2 in 5 weeks?'],
  ['Kitchen asked', '… asked'],
  ['It costs 4200 euros, or 50 %', 'It costs 4200 euros, or 50 %'],
])('%s: %s', (text, expected) => {
  expect(scrubber.scrub(text)).toBe(expected);
});

const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789 -()+./٣４')) }),
  fc.emailAddress(),
  fc.webUrl(),
  fc.constantFrom('Anna', 'Мария', 'ул. Ленина 5', '…', ',', '\u200b', '\n'),
);

it('leaves no number, no e-mail, no link and no name, whatever the text is', () => {
  const names = fc.array(fc.constantFrom('Anna Snegurkina', 'Мария', 'Otto', 'Ян', 'José', 'O’Neill'), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.constantFrom('', ' ', '-'))), names, (pieces, listed) => {
      const own = createScrubber(listed);
      const text = [...pieces.flat(), ...listed].join('');
      const left = own.scrub(text);
      expect(left).not.toMatch(/\p{Nd}{6}/u);
      expect(left).not.toMatch(/[^\s@]+@[^\s@]+\.[^\s@]+/u);
      expect(left).not.toMatch(/https?:|www\./i);
      const words = left.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
      for (const token of listed
        .join(' ')
        .toLowerCase()
        .match(/[\p{L}\p{M}]{2,}/gu) ?? [])
        expect(words).not.toContain(token);
      expect(own.scrub(left)).toBe(left);
    }),
    { numRuns: 500 },
  );
});
