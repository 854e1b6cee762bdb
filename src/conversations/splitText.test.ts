import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWhatsAppSpans, type WhatsAppSpan } from './markup/whatsapp.ts';
import { MAX_PARAGRAPHS, splitText as splitInto } from './splitText.ts';

const splitText = (text: string, limit: number, paragraphs: boolean): string[] =>
  splitInto(text, { limit, paragraphs, markup: 'plain' });
const withoutWhitespace = (text: string): string => text.replaceAll(/\s+/gu, '');
const prose = fc
  .array(
    fc.constantFrom(
      'Yes.',
      'A kitchen costs 4200 €',
      'six weeks',
      '👍🏽',
      '\n\n',
      '\n',
      ' ',
      '…',
      'Да!',
      'слово',
      '   \n \t\n',
    ),
    {
      maxLength: 60,
    },
  )
  .map((words) => words.join(' '));
const anything = fc.oneof(prose, fc.string({ unit: 'grapheme', maxLength: 400 }));

describe('splitText', () => {
  it('loses and adds no characters except white space', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 2, max: 80 }), fc.boolean(), (text, limit, paragraphs) => {
        expect(withoutWhitespace(splitText(text, limit, paragraphs).join(''))).toBe(withoutWhitespace(text));
      }),
    );
  });

  it('returns no part that is blank, too long, untrimmed or cut inside a character', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 2, max: 80 }), fc.boolean(), (text, limit, paragraphs) => {
        for (const part of splitText(text, limit, paragraphs)) {
          expect(part.trim()).toBe(part);
          expect(part).not.toBe('');
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.isWellFormed()).toBe(text.isWellFormed() || part.isWellFormed());
        }
      }),
    );
  });

  it('splits at blank lines only when asked', () => {
    const text = 'Hello!\n\nA kitchen costs 4200.\n \t\n\nShall we?\nYes';
    expect(splitText(text, 1000, true)).toEqual(['Hello!', 'A kitchen costs 4200.', 'Shall we?\nYes']);
    expect(splitText(text, 1000, false)).toEqual([text]);
  });

  it('splits a long text at the last sentence end, else at a space, else anywhere', () => {
    expect(splitText('One two three. Four five six. Seven', 30, false)).toEqual([
      'One two three. Four five six.',
      'Seven',
    ]);
    expect(splitText('one two three four five six', 10, false)).toEqual(['one two', 'three four', 'five six']);
    expect(splitText('One two. Three four. X', 20, false)).toEqual(['One two. Three four.', 'X']);
    expect(splitText('abcdefghijkl', 5, false)).toEqual(['abcde', 'fghij', 'kl']);
  });

  it('returns no part for an empty text', () => {
    expect(splitText(' \n\n \t', 10, true)).toEqual([]);
  });

  it('never cuts inside what people see as one character', () => {
    const characters = fc.array(
      fc.constantFrom('👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', 'e\u0301', 'कि', '1️⃣', 'я', '語', ' ', '. ', '。', '。\u0301'),
      { maxLength: 60 },
    );
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(characters, fc.integer({ min: 12, max: 60 }), fc.boolean(), (list, limit, paragraphs) => {
        const text = list.join('');
        const wanted = [...segmenter.segment(text)].map(({ segment }) => segment).filter((one) => one.trim() !== '');
        const got = splitText(text, limit, paragraphs).flatMap((part) =>
          [...segmenter.segment(part)].map(({ segment }) => segment).filter((one) => one.trim() !== ''),
        );
        expect(got).toEqual(wanted);
      }),
    );
  });

  it('closes the marks that it separates and opens them again: what WhatsApp shows is the same', () => {
    const piece = fc.constantFrom(
      'word',
      'слово.',
      '*bold words here*',
      '_it is so_',
      '*bold _both of it_ bold*',
      '~old~',
      '`code of it`',
      'a*b',
      '```\nfirst line\n\nsecond line\n```',
      '```x y z```',
      'https://shop.example/a_b',
      '\n',
      '\n\n',
      '5*',
    );
    const text = fc.array(piece, { maxLength: 14 }).map((all) => all.join(' '));
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 90 }), fc.boolean(), (source, limit, paragraphs) => {
        const parts = splitInto(source, { limit, paragraphs, markup: 'whatsapp' });
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(limit);
        expect(parts.flatMap(shownOf)).toEqual(shownOf(source));
      }),
      { numRuns: 500 },
    );
  });

  it('makes at most five messages of paragraphs', () => {
    const text = Array.from({ length: 30 }, (_one, index) => `Paragraph ${index}.`).join('\n\n');
    const parts = splitText(text, 4096, true);
    expect(parts).toHaveLength(MAX_PARAGRAPHS);
    expect(parts.join('\n\n')).toBe(text);
  });

  it('ends for any text and limit', () => {
    const signs = fc.array(fc.constantFrom('*', '_', '```', '`', '~', 'a', ' ', '\n', '👍🏽', '😀'), { maxLength: 60 });
    fc.assert(
      fc.property(signs, fc.integer({ min: 1, max: 20 }), fc.boolean(), (list, limit, paragraphs) => {
        const parts = splitInto(list.join(''), { limit, paragraphs, markup: 'whatsapp' });
        expect(parts.every((part) => part.trim() !== '')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

/** What WhatsApp shows of a text: its characters without white space, each with its format. */
function shownOf(text: string): string[] {
  const hidden = new Set<number>();
  const formats = new Map<number, string>();
  const visit = ({ start, end, mark, children }: WhatsAppSpan): void => {
    for (let at = start; at < end; at++) {
      if (at < start + mark.length || at >= end - mark.length) hidden.add(at);
      formats.set(at, (formats.get(at) ?? '') + mark);
    }
    for (const child of children) visit(child);
  };
  for (const span of findWhatsAppSpans(text)) visit(span);
  return text
    .split('')
    .flatMap((character, at) =>
      hidden.has(at) || character.trim() === '' ? [] : [`${character}${formats.get(at) ?? ''}`],
    );
}
