import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWhatsAppSpans, type WhatsAppSpan } from './markup/whatsapp.ts';
import { toLeadText } from './markup.ts';

const MARKUPS = ['whatsapp', 'plain'] as const;

/** Words and signs as people write them, none of which is markup. */
const written = fc
  .array(
    fc.constantFrom(
      'Привет',
      'kitchen',
      '4200 €',
      '2 * 3 * 4',
      '200*160*40 см',
      'snake_case_name',
      '5* отель',
      '4*, 5*',
      '**5*',
      '#1',
      '# ',
      '1. Раз',
      '1) два',
      '- Да',
      '— Нет',
      '+7 999 123-45-67',
      '~5 км',
      '~~',
      '>',
      '> 5 км',
      'a > b',
      '<b>',
      ':)',
      ':*',
      '^_^',
      '¯\\_(ツ)_/¯',
      '-_-',
      '*_*',
      'https://x.example/a_b*c_d?e=1&copy=2',
      'first_last@x.example',
      '@user_name_',
      't.me/_bot_',
      '(см. ниже)',
      '«так»',
      '"так"',
      '50%',
      '10:30',
      '№ 5',
      '[Имя]',
      'f[1](2)',
      'C:\\dir',
      '|',
      'a|b',
      '...',
      '!',
      '?',
      '👍🏽',
      '2**10',
      '62070503***6304',
      'x_1 = y_2',
      '@_ann_',
      '$5_000',
      'Тел.:',
      '    отступ',
      '---',
      '___x',
      '===',
      '&',
      'R&D',
      'AT&T',
    ),
    { maxLength: 12 },
  )
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', ' ', ' ', '\n', ', '), { minLength: words.length, maxLength: words.length })
      .map((gaps) => words.map((word, index) => word + (gaps[index] ?? '')).join('')),
  )
  // At the beginning of a line some of them do begin something.
  .filter((text) =>
    text
      .split('\n')
      .every(
        (line) => !/^\s*(?:[-=*_](?:\s*[-=*_]){2,}\s*$|#\s|>(?! 5 км)|\|)/.test(line) && !/^\s*> 5 км.*> 5/.test(line),
      ),
  );

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        ...'*_~`#>[]()!|\\<&-+:. \n\t1aя👍'.split(''),
        '**',
        '```',
        '\r\n',
        '[^1]',
        '](',
        '&amp;',
        '- [x] ',
      ),
      { maxLength: 120 },
    )
    .map((signs) => signs.join('')),
);

const flatten = (spans: readonly WhatsAppSpan[]): WhatsAppSpan[] =>
  spans.flatMap((span) => [span, ...flatten(span.children)]);

describe('toLeadText', () => {
  it.each(MARKUPS)('returns a text without Markdown as it is: %s', (markup) => {
    fc.assert(
      fc.property(written, (text) => {
        expect(toLeadText(text, markup)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(MARKUPS)('throws for nothing, and makes no text empty: %s', (markup) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const seen = toLeadText(text, markup);
        expect(seen.trim() === '').toBe(text.trim() === '');
        expect(seen.isWellFormed()).toBe(text.isWellFormed() || seen.isWellFormed());
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps every letter and digit, save those of the markup itself', () => {
    const words = fc
      .array(fc.constantFrom('альфа', 'beta', '42', '「語」', '🔥'), { minLength: 1, maxLength: 4 })
      .map((all) => all.join(' '));
    const wrap = fc.constantFrom(
      (text: string) => `**${text}**`,
      (text: string) => `*${text}*`,
      (text: string) => `__${text}__`,
      (text: string) => `~~${text}~~`,
      (text: string) => `***${text}***`,
      (text: string) => `\`${text}\``,
      (text: string) => `## ${text}\n`,
      (text: string) => `- ${text}\n`,
      (text: string) => `> ${text}\n`,
      (text: string) => text,
    );
    const text = fc
      .array(fc.tuple(wrap, words), { minLength: 1, maxLength: 8 })
      .map((all) => all.map(([mark, one]) => mark(one)).join(' '));
    const only = (one: string) => one.replaceAll(/[^\p{L}\p{N}🔥]/gu, '');
    fc.assert(
      fc.property(text, fc.constantFrom(...MARKUPS), (source, markup) => {
        expect(only(toLeadText(source, markup))).toBe(only(source));
      }),
    );
  });

  it('writes marks only where WhatsApp takes them for marks', () => {
    const phrase = fc.constantFrom(
      'слово',
      'Цена:',
      '(так)',
      'два слова',
      '«в кавычках»',
      '5*',
      'a_b',
      'конец.',
      '🔥',
      '重要',
    );
    const glue = fc.constantFrom(' ', '', ', ', '. ', '\n', ' (', ')', '«', '»', 'а');
    const text = fc
      .array(fc.tuple(glue, fc.constantFrom('**', '_', '~~', '***'), phrase), { minLength: 1, maxLength: 6 })
      .map((all) => all.map(([between, mark, words]) => between + mark + words + mark).join(''));
    fc.assert(
      fc.property(text, (source) => {
        const seen = toLeadText(source, 'whatsapp');
        const plain = toLeadText(source, 'plain');
        // What WhatsApp shows, without the marks that it hides.
        let visible = seen;
        for (const { start, end, mark } of flatten(findWhatsAppSpans(seen)).sort((one, other) => other.end - one.end))
          visible = blank(blank(visible, start, mark.length), end - mark.length, mark.length);
        const rest = visible.replaceAll('\u0000', '');
        if (!/5\*|a_b/.test(source) && !/[*_~]/.test(plain)) expect(rest).toBe(plain);
      }),
      { numRuns: 1000 },
    );
  });

  it('changes nothing more when it is applied to what it has written', () => {
    for (const text of [
      '**a** b',
      '# T\n\n**x** [l](https://x.example)',
      '*a* and **b**',
      '~~old~~ _new_',
      '* a\n* b',
      '`c` ```d```',
    ])
      for (const markup of MARKUPS) {
        const once = toLeadText(text, markup);
        expect(toLeadText(once, markup)).toBe(once);
      }
  });

  it("keeps WhatsApp's own marks of a text that has nothing of Markdown", () => {
    expect(toLeadText('*Price:* 4200\n*Term:* _six_ weeks', 'whatsapp')).toBe('*Price:* 4200\n*Term:* _six_ weeks');
    expect(toLeadText('*Price:* 4200\n*Term:* _six_ weeks', 'plain')).toBe('Price: 4200\nTerm: six weeks');
    expect(toLeadText('*really* **cheap**', 'whatsapp')).toBe('_really_ *cheap*');
  });
});

const blank = (text: string, at: number, length: number): string =>
  text.slice(0, at) + '\u0000'.repeat(length) + text.slice(at + length);
