import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkQuotations } from './quotations.ts';

const MESSAGES = [
  { id: 7, text: 'How much is\n a  Kitchen?' },
  { id: 9, text: "I don't want an island, «Loft» is fine. It's for 5 people" },
];
const linesOf = (...lines: string[]) => checkQuotations({ lines, quotes: [] }, MESSAGES).lines;
const quotesOf = (...quotes: [number, string][]) =>
  checkQuotations({ lines: [], quotes: quotes.map(([message_id, text]) => ({ message_id, text })) }, MESSAGES).quotes;

describe('checkQuotations', () => {
  it('keeps a quotation that occurs in the message it names, whatever its case and white space', () => {
    expect(quotesOf([7, 'how much is a kitchen?'], [9, 'It’s'], [9, "I  DON'T want"])).toEqual([
      { message_id: 7, text: 'how much is a kitchen?' },
      { message_id: 9, text: "I  DON'T want" },
    ]);
  });

  it('drops a quotation of another message, of no message, with other words, and without words', () => {
    expect(
      quotesOf([9, 'How much is a kitchen?'], [8, 'How much'], [7, 'How much is a kitchen'], [7, ' ']).map(
        (one) => one.text,
      ),
    ).toEqual(['How much is a kitchen']);
    expect(quotesOf([7, 'How much is the kitchen?'], [7, ''], [7, 'How much is a kitchen!'])).toEqual([]);
  });

  it('keeps a line without quotations, and one whose quotations were all written', () => {
    const lines = [
      "The lead's kitchen isn't for the neighbours' house.",
      'Asks "how much is a kitchen?" and says “it\'s for 5 people”.',
      "Says 'I don't want an island' twice.",
    ];
    expect(linesOf(...lines)).toEqual(lines);
  });

  it.each([
    'Says "I will take it".',
    'Says “I will take it”.',
    'Says „I will take it“.',
    'Says «I will take it».',
    "Says 'I will take it'.",
    'Says ‘I will take it’.',
    'Asks "how much is a kitchen?" and says "I will take it".',
    'Says "I will take it.',
    'Says „I will take it',
    'Says «it\'s for 5 people" and "I will take it»',
    'Says "" and nothing else.',
  ])('drops the line: %s', (line) => {
    expect(linesOf(line)).toEqual([]);
  });

  it('keeps nothing that nobody wrote, in whatever marks it is put', () => {
    const marks = fc.constantFrom('""', '“”', '„“', '«»', '‘’', "''");
    const words = fc.stringMatching(/^[a-z ]{1,12}$/);
    fc.assert(
      fc.property(marks, words, fc.array(words, { maxLength: 3 }), ([open, close], quoted, written) => {
        const messages = written.map((text, index) => ({ id: index + 1, text }));
        const squash = (text: string) => text.replaceAll(/ +/g, ' ').trim();
        const isTrue = squash(quoted) !== '' && written.some((text) => squash(text).includes(squash(quoted)));
        const { lines } = checkQuotations({ lines: [`Says ${open}${quoted}${close} .`], quotes: [] }, messages);
        expect(lines.length > 0).toBe(isTrue);
      }),
    );
  });
});
