/** Numbers in text. Recognition is the one rule for values that are typed, imported or read from a CRM. Browser-safe. */

const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** `007`, `00.5`: a code, since a number would lose its leading zeros. */
const LEADING_ZERO = /^-?0\d/;
/** Significant digits that a JavaScript number keeps. */
const MAX_DIGITS = 15;

/**
 * Parse a number (`5`, `1.50`, `.5`, `1e5`). Returns null when the text is not a number, or when a number would lose
 * information: with a leading zero or plus, or with more than 15 digits, it is a code or a phone.
 */
export function parseNumericText(text: string): number | null {
  if (!NUMBER.test(text) || LEADING_ZERO.test(text)) return null;
  const digits = text.replace(/e.*$/i, '').replace(/[^\d]/g, '');
  const value = Number(text);
  const losesPrecision = digits.length > MAX_DIGITS || !Number.isFinite(value) || (value === 0 && /[1-9]/.test(digits));
  // Drop the sign of a negative zero, which JSON does not keep.
  return losesPrecision ? null : value || 0;
}

/** Parse a number that prints as it is written. Null for `1.10` and `12E5` too: they may be codes, and would read otherwise. */
export function parsePrintedNumber(text: string): number | null {
  const number = parseNumericText(text);
  return number !== null && String(number) === text ? number : null;
}

/** Write a count with its noun: `1 hour`, `1,000 hours`. The console's texts have their plural in `t()`. */
export function countOf(count: number | bigint, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${Number(count) === 1 ? '' : 's'}`;
}
