/** Numbers in texts of people and models: with any of the usual separators, and what they may mean. Pure. */

export interface FoundNumber {
  /** What it may mean: `12.500` is 12500 or 12.5. */
  readonly values: readonly number[];
  /** As it was written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Spaces that separate thousands: also those that do not break, and thin ones. */
const SPACE = ' \u00a0\u2009\u202f';

/**
 * Digits, in groups of three that a space or an apostrophe separates, or with points and commas. Not part of a word
 * (`A4`), but for the code of a currency.
 */
const NUMBER = new RegExp(
  String.raw`(?:(?<![\p{L}\d.,])|(?<=(?<!\p{L})(?:eur|usd|rub|kzt|uah|try|gbp)))(?:\d{1,3}(?:[${SPACE}'’]\d{3})+(?:[.,]\d{1,2})?|\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?|\d+(?:[.,]\d+)?)(?![\d])`,
  'giu',
);

/** Words and letters that multiply what stands before them. */
const MULTIPLIERS: readonly (readonly [RegExp, number])[] = [
  [/^\s?(?:k|к)(?![\p{L}\d])/iu, 1e3],
  [/^\s?(?:thousand|тыс(?:яч\p{L}*|\.)?|тис(?:яч\p{L}*|\.)?|tausend|mille|mil|bin|мың)(?!\p{L})/iu, 1e3],
  [/^\s?(?:m|million(?:s|en|es)?|mln|mio|млн|миллион\p{L}*|мільйон\p{L}*|milyon|millones|millón)(?![\p{L}\d])/iu, 1e6],
];

/** Characters after a number that are read for one. */
const LONGEST_MULTIPLIER = 30;

/** Find the numbers of a text, in order. */
export function numbersIn(text: string): FoundNumber[] {
  return [...text.matchAll(NUMBER)].map((match) => {
    const [written] = match;
    const start = match.index;
    const rest = text.slice(start + written.length, start + written.length + LONGEST_MULTIPLIER);
    for (const [pattern, factor] of MULTIPLIERS) {
      const multiplier = pattern.exec(rest)?.[0];
      if (multiplier === undefined) continue;
      // Rounded, since 4.35 * 1000 is not 4350.
      const values = valuesOf(written).map((value) => Math.round(value * factor * 100) / 100);
      return { values, text: written + multiplier, start, end: start + written.length + multiplier.length };
    }
    return { values: valuesOf(written), text: written, start, end: start + written.length };
  });
}

/** Return what a written number may mean. */
function valuesOf(written: string): number[] {
  const plain = written.replaceAll(/[\s'’\u00a0\u2009\u202f]/g, '');
  const marks = plain.match(/[.,]/g) ?? [];
  const [last] = marks.slice(-1);
  if (last === undefined) return [Number(plain)];
  const decimals = plain.length - plain.lastIndexOf(last) - 1;
  const withoutMarks = Number(plain.replaceAll(/[.,]/g, ''));
  const asDecimal = Number(
    plain.slice(0, plain.lastIndexOf(last)).replaceAll(/[.,]/g, '') + '.' + plain.slice(-decimals),
  );
  // `12,500.00` and `1.234.567`: the marks differ, or there are several.
  if (marks.length > 1) return marks.every((mark) => mark === last) ? [withoutMarks] : [asDecimal];
  if (decimals === 3 && !plain.startsWith('0') && plain.lastIndexOf(last) <= 3) return [withoutMarks, asDecimal];
  return [asDecimal];
}
