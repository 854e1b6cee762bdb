/** Tables as CSV that spreadsheets open as text: one rule for server and console. Pure, browser-safe. */

/** What divides cells where a spreadsheet takes another sign for the comma, and lines. */
const SEPARATOR = /([;\t\r\n])/;
/** A formula's sign, plain or in full width, behind what a spreadsheet may drop. */
const FORMULA = /^['"\s]*[=+\-@＝＋－＠]/;
const IGNORED_PREFIX = /^['"\s]*$/;

/** A text that no spreadsheet runs: wherever a cell of it could begin like a formula stands an apostrophe. */
export function escapeFormulas(value: string | number): string {
  return typeof value === 'string' ? mapFormulaParts(value, (part) => `'${part}`) : String(value);
}

/** What a defused text was before. */
export function unescapeFormulas(value: string): string {
  return mapFormulaParts(value, (part) => (part.startsWith("'") ? part.slice(1) : part));
}

/** Changes the beginning of each part that a spreadsheet could take for a cell with a formula. */
function mapFormulaParts(text: string, change: (part: string) => string): string {
  // Parts and what divides them, in turn.
  const parts = text.split(SEPARATOR);
  // Whether a formula follows: parts in which nothing stands are looked through.
  let follows = false;
  for (let at = parts.length - 1; at >= 0; at -= 2) {
    const part = parts[at] ?? '';
    follows = FORMULA.test(part) || (follows && IGNORED_PREFIX.test(part));
    // A tab or carriage return in front is dropped with what it divides.
    const isDropped = at === 0 && /^'*$/.test(part) && (parts[1] === '\t' || parts[1] === '\r');
    if (follows || isDropped) parts[at] = change(part);
  }
  return parts.join('');
}

const quoteCell = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Rows as CSV (RFC 4180) in UTF-8 with its mark, so that every spreadsheet reads the letters right. All cells are quoted. */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => row.map((cell) => quoteCell(escapeFormulas(cell))).join(',')).join('\r\n')}\r\n`;
}
