/** Guesses what a file does not say: what separates its cells, and which row names its columns. Pure. */
import { type CsvRecord, readRecords } from './records.ts';

export const delimiters = [',', ';', '\t', '|'] as const;

const SAMPLE_ROWS = 500;
const SAMPLE_CELLS = 300;
const SAMPLE_HEADERS = 30;

/** The line with which spreadsheets are told the delimiter, `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?[,;\t ]*(?:\r|\n|$)/i;

/** Return the delimiter that the file names in its first line; null if it names none. */
export const namedDelimiter = (text: string): string | null => SEPARATOR_LINE.exec(text)?.[1] ?? null;

export const isBlank = ({ cells }: Pick<CsvRecord, 'cells'>): boolean => cells.every((cell) => cell.trim() === '');

/** Return the most frequent number of cells, and how many rows have it. */
export function commonWidth(records: readonly CsvRecord[]): { readonly width: number; readonly rows: number } {
  const counts = new Map<number, number>();
  for (const { cells, quotes } of records)
    if (quotes !== 'broken') counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width, rows] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [1, 0]);
  return { width, rows };
}

/**
 * Choose the delimiter with which most rows have the same number of cells, and most cells are values of one kind. A sign
 * with a space behind it rather belongs to a text.
 */
export function guessDelimiter(text: string): string {
  const scores = delimiters.map((delimiter) => {
    const records = readRecords(text, delimiter, SAMPLE_ROWS).filter((one) => !isBlank(one));
    const { width, rows } = commonWidth(records);
    const filled = records.flatMap(({ cells }) => cells.slice(0, SAMPLE_CELLS)).filter((cell) => cell.trim() !== '');
    const share = (pattern: RegExp) => filled.filter((cell) => pattern.test(cell)).length / filled.length;
    const isSplit = width > 1;
    const score = isSplit ? (rows / records.length) * (1 + share(PLAIN_VALUE) - share(/^ \S/) / 4) : 0;
    return { delimiter, score, width };
  });
  const best = scores.reduce((one, other) =>
    other.score > one.score || (other.score === one.score && other.width > one.width) ? other : one,
  );
  return best.score > 0 ? best.delimiter : ',';
}

/** A number, phone number, date, e-mail address, username or link. */
const PLAIN_VALUE = /^\s*(?:[+(]?\d[\d\s().,:/+-]*(?:E\+?\d+)?|[^\s@;,]+@[\w.-]+\.\w+|@\w+|https?:\/\/\S+)\s*$/i;

/** A phone number, e-mail address, username or link: such a cell names no column. */
const CONTACT = /^(?:[^\s@]+@[\w.-]+\.\w+|@\w+|(?:https?:\/\/)?(?:t\.me|wa\.me)\/\S+|\d[.,]\d+E\+?\d+)$/i;
const isContact = (cell: string): boolean =>
  CONTACT.test(cell) || (/^[='"+(]*\d[\d\s().+-]*["']*$/.test(cell) && cell.replace(/\D/g, '').length >= 10);

/** A phone number with a label or a name: `тел. 8 916 123-45-67`. */
const NUMBER_IN_TEXT = /(?:\d[\s().+-]*){10}/;
const USERNAME = /^(?=.*[_\d])[a-z][a-z\d_]{4,31}$/i;

/** Whether a row has a username where most rows have one: then it is a lead too. */
const resemblesRows = ({ cells }: CsvRecord, records: readonly CsvRecord[]): boolean =>
  cells.some((cell, column) => {
    const usernames = records.filter((one) => USERNAME.test(one.cells[column]?.trim() ?? ''));
    return USERNAME.test(cell.trim()) && usernames.length > 1 && usernames.length > records.length / 2;
  });

/**
 * Return the row that names the columns; 0 if there is none, because the first rows are leads. Titles above it have a
 * single cell, or no name that is known.
 *
 * @param isKnownName whether a cell is the name of a column that leads have
 */
export function guessHeader(records: readonly CsvRecord[], isKnownName: (cell: string) => boolean): number {
  const filled = records.filter((one) => !isBlank(one)).slice(0, SAMPLE_HEADERS);
  const least = Math.min(2, commonWidth(filled).width);
  const cellsOf = ({ cells }: CsvRecord) => cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const names = (one: CsvRecord) => cellsOf(one).some(isKnownName);
  const firstLead = filled.findIndex(
    (one) => cellsOf(one).some(isContact) || (!names(one) && cellsOf(one).some((cell) => NUMBER_IN_TEXT.test(cell))),
  );
  const above = firstLead === -1 ? filled : filled.slice(0, firstLead);
  const wide = above.filter((one) => cellsOf(one).length >= least);
  const header = wide.find(names) ?? wide[0];
  if (header && !names(header) && resemblesRows(header, filled)) return 0;
  if (header) return header.row;
  return firstLead === -1 ? (filled[0]?.row ?? 0) : 0;
}
