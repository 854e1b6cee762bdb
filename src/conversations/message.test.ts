import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delaySeconds, displayText, previewOf, splitText } from './message.ts';

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
});

describe('delaySeconds', () => {
  const link = { delay_messages_symbols_per_second: 5, delay_messages_seconds: 3 };
  it("adds the link's delay and the time to type", () => {
    expect(delaySeconds('ten chars.', link)).toBe(5);
    expect(delaySeconds('ten chars.', { ...link, delay_messages_symbols_per_second: null })).toBe(3);
    expect(delaySeconds('ten chars.', { ...link, delay_messages_seconds: null })).toBe(2);
    expect(delaySeconds('ten chars.', undefined)).toBe(0);
  });
});

describe('a message in lists and threads', () => {
  it('names a medium without text', () => {
    expect(displayText({ text: '', mediaKind: 'voice message' })).toBe('[voice message]');
    expect(displayText({ text: 'the plan', mediaKind: 'image' })).toBe('the plan');
    expect(displayText({ text: '', mediaKind: 'text' })).toBe('');
  });

  it('previews the first line, shortened', () => {
    expect(previewOf('\n Hello \nWorld')).toBe('Hello ');
    expect(previewOf('x'.repeat(200))).toHaveLength(140);
  });
});
