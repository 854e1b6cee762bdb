/** Tables as CSV that spreadsheets open as text. Pure. */

/** Characters by which a spreadsheet takes a cell for a formula. */
const DANGEROUS = /^[=+\-@\t\r]/;

/** A text that no spreadsheet runs: what begins like a formula gets an apostrophe. Numbers stay numbers. */
export function defused(value: string | number): string {
  return typeof value === 'string' && DANGEROUS.test(value) ? `'${value}` : String(value);
}

/** What a defused text was before. */
export function undefused(value: string): string {
  return value.startsWith("'") && DANGEROUS.test(value.slice(1)) ? value.slice(1) : value;
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Rows as CSV (RFC 4180) in UTF-8 with its mark, so that every spreadsheet reads the letters right. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return `\ufeff${rows.map((row) => row.map((cell) => quoted(defused(cell))).join(',')).join('\r\n')}\r\n`;
}

/** Offers a text for saving under a name. */
export function saveFile(name: string, text: string, media = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${media};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
