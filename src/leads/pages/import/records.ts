/**
 * Reads the records of a CSV text. Pure. A library is not used: none tells on which line a record begins, reads mixed line
 * ends, and keeps the rows behind a broken quote apart.
 */

export interface CsvRecord {
  /** Its number among all records, empty ones too: the row in a spreadsheet. */
  readonly row: number;
  /** The line of the file on which it begins. */
  readonly line: number;
  /** The cells as written; of a record with broken quotes, the whole line. */
  readonly cells: readonly string[];
  /**
   * - `loose`: quotes inside quotes are not doubled; where its cells end is a guess that its number of cells confirms or not
   * - `broken`: a quote is not closed
   */
  readonly quotes: 'fine' | 'loose' | 'broken';
}

/** Read the records of a text, or its first ones. Cells may contain line breaks and doubled quotes within quotes. */
export function readRecords(text: string, delimiter: string, most = Number.POSITIVE_INFINITY): CsvRecord[] {
  const plain = text.replace(/\r\n?/g, '\n');
  const records: CsvRecord[] = [];
  let line = 1;
  for (let at = 0; at < plain.length && records.length < most; ) {
    const { cells, end, quotes } = readRecord(plain, at, delimiter);
    const source = plain.slice(at, end);
    // What follows a line with a broken quote may be the rest of the same cell.
    const isRest = records.at(-1)?.quotes === 'broken' && quotes === 'fine' && hasOpenQuote(source);
    records.push({ row: records.length + 1, line, cells, quotes: isRest ? 'broken' : quotes });
    line += source.split('\n').length;
    at = end + 1;
  }
  return records;
}

type Read = Pick<CsvRecord, 'cells' | 'quotes'> & { readonly end: number };

function readRecord(text: string, start: number, delimiter: string): Read {
  const cells: string[] = [];
  let quotes: CsvRecord['quotes'] = 'fine';
  for (let at = start; ; ) {
    const cell = readCell(text, at, delimiter);
    if (cell === null) return brokenLine(text, start);
    cells.push(cell.text);
    if (cell.isLoose) quotes = 'loose';
    if (cell.end >= text.length || text[cell.end] === '\n') return { cells, end: cell.end, quotes };
    at = cell.end + 1;
  }
}

/** A record whose quotes are broken ends with its line, so that the rows below it are read. */
function brokenLine(text: string, start: number): Read {
  const found = text.indexOf('\n', start);
  const end = found === -1 ? text.length : found;
  return { cells: [text.slice(start, end)], end, quotes: 'broken' };
}

interface Cell {
  readonly text: string;
  readonly end: number;
  readonly isLoose: boolean;
}

/** Read a cell. Null if its quote is not closed. */
function readCell(text: string, at: number, delimiter: string): Cell | null {
  const from = skipSpaces(text, at);
  if (text[from] !== '"') {
    const end = endOfCell(text, at, delimiter);
    return { text: text.slice(at, end), end, isLoose: false };
  }
  let content = '';
  for (let position = from + 1; ; ) {
    const quote = text.indexOf('"', position);
    if (quote === -1) break;
    content += text.slice(position, quote);
    if (text[quote + 1] === '"') {
      content += '"';
      position = quote + 2;
      continue;
    }
    const end = skipSpaces(text, quote + 1);
    if (isEnd(text, end, delimiter)) return { text: content, end, isLoose: false };
    break;
  }
  return readLooseCell(text, from, delimiter);
}

/** Read a cell with quotes that are not doubled, `"The "best" oak"` or `"Bo" Smith`, which ends on the same line. */
function readLooseCell(text: string, from: number, delimiter: string): Cell | null {
  for (let end = endOfCell(text, from, delimiter); ; end = endOfCell(text, end + 1, delimiter)) {
    const source = text.slice(from, end).trimEnd();
    if (source.length > 1 && source.endsWith('"')) return { text: source.slice(1, -1), end, isLoose: true };
    if (!hasOpenQuote(source)) return { text: source, end, isLoose: true };
    if (end >= text.length || text[end] === '\n') return null;
  }
}

const hasOpenQuote = (text: string): boolean => text.split('"').length % 2 === 0;

function skipSpaces(text: string, at: number): number {
  let position = at;
  while (text[position] === ' ') position++;
  return position;
}

const isEnd = (text: string, at: number, delimiter: string): boolean =>
  at >= text.length || text[at] === delimiter || text[at] === '\n';

function endOfCell(text: string, at: number, delimiter: string): number {
  let position = at;
  while (!isEnd(text, position, delimiter)) position++;
  return position;
}
