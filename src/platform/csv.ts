/** Tables as CSV that spreadsheets open as text: the same rule for server and console. Pure, browser-safe. */

/** Separators of cells, where a spreadsheet does not use the comma, and of lines. */
const SEPARATOR = /([;\t\r\n])/;
/** The first character of a formula, plain or full-width, after characters that a spreadsheet may drop. */
const FORMULA = /^['"\s]*[=+\-@＝＋－＠]/;
const IGNORED_PREFIX = /^['"\s]*$/;

/**
 * Escape a text so that no spreadsheet runs it: put an apostrophe wherever one of its cells could begin like a formula.
 */
export function escapeFormulas(value: string | number): string {
  return typeof value === 'string' ? mapFormulaParts(value, (part) => `'${part}`) : String(value);
}

/** Restore an escaped text. */
export function unescapeFormulas(value: string): string {
  return mapFormulaParts(value, (part) => (part.startsWith("'") ? part.slice(1) : part));
}

/** Change the beginning of each part that a spreadsheet could take for a cell with a formula. */
function mapFormulaParts(text: string, change: (part: string) => string): string {
  // Parts and separators, alternating.
  const parts = text.split(SEPARATOR);
  // Whether a formula follows; parts with nothing but ignored characters are skipped.
  let follows = false;
  for (let at = parts.length - 1; at >= 0; at -= 2) {
    const part = parts[at] ?? '';
    follows = FORMULA.test(part) || (follows && IGNORED_PREFIX.test(part));
    // A leading tab or carriage return is dropped together with the separator.
    const isDropped = at === 0 && /^'*$/.test(part) && (parts[1] === '\t' || parts[1] === '\r');
    if (follows || isDropped) parts[at] = change(part);
  }
  return parts.join('');
}

const quoteCell = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/**
 * Format rows as CSV (RFC 4180) in UTF-8 with a byte order mark, so that every spreadsheet reads the letters correctly.
 * All cells are quoted.
 */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => row.map((cell) => quoteCell(escapeFormulas(cell))).join(',')).join('\r\n')}\r\n`;
}
