/** Which texts are numbers: the one rule for what is typed, imported and read from a CRM. Browser-safe. */

const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** `007`, `00.5`: a code, and no number that would keep its zeros. */
const LEADING_ZERO = /^-?0\d/;
/** A number of the language keeps so many digits. */
const MAX_DIGITS = 15;

/**
 * The number that a text is (`5`, `1.50`, `.5`, `1e5`); null when it is none, or when a number would lose what its digits
 * say: with a leading zero or plus, or with more than 15 digits, it is a code or a phone.
 */
export function parseNumericText(text: string): number | null {
  if (!NUMBER.test(text) || LEADING_ZERO.test(text)) return null;
  const digits = text.replace(/e.*$/i, '').replace(/[^\d]/g, '');
  const value = Number(text);
  const losesPrecision = digits.length > MAX_DIGITS || !Number.isFinite(value) || (value === 0 && /[1-9]/.test(digits));
  // Without the sign of a zero, which JSON does not keep.
  return losesPrecision ? null : value || 0;
}
