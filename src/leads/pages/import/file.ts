/** Reads a table from CSV as spreadsheets and CRMs save it, whatever their locale. */
import { unescapeFormulas } from '../../../platform/csv.ts';
import { t } from '../../../ui/i18n.ts';
import { decode, detectEncoding } from './encoding.ts';
import { binaryKind, textKind } from './fileKind.ts';
import { commonWidth, guessDelimiter, guessHeader, isBlank, namedDelimiter } from './guess.ts';
import { isKnownName } from './mapping.ts';
import { type CsvRecord, readRecords } from './records.ts';
import { MAX_ROWS, type Reading, type Table, type TableRow } from './table.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_COLUMNS = 200;
const FIRST_ROWS = 12;
const FIRST_CELLS = 12;

/** Read the table of a file. Throws an error with a sentence for the operator if it is no CSV file. */
export async function readTable(file: File): Promise<Table> {
  if (file.size > MAX_BYTES) throw new Error(t('The file is larger than 20 MB. Split it.'));
  return parseTable(file.name, new Uint8Array(await file.arrayBuffer()));
}

/** Parse a table. What is not chosen is guessed. */
export function parseTable(name: string, bytes: Uint8Array, choices: Partial<Reading> = {}): Table {
  const binary = binaryKind(bytes);
  if (binary !== null) throw notCsv(binary);
  const { encoding, isCertain } = choices.encoding
    ? { encoding: choices.encoding, isCertain: true }
    : detectEncoding(bytes);
  const decoded = decode(bytes, encoding);
  const text = decoded.replaceAll('\0', '');
  const nuls = decoded.length - text.length;
  if (text.trim() === '') throw new Error(t('The file is empty.'));
  const kind = textKind(text);
  if (kind !== null) throw notCsv(kind);
  // Other binary files are full of them; chosen by hand, an encoding may be wrong.
  if (nuls > text.length / 10 && choices.encoding === undefined) throw notCsv(t('a binary file'));

  const named = namedDelimiter(text);
  const delimiter = choices.delimiter ?? named ?? guessDelimiter(text);
  const all = readRecords(text, delimiter);
  const records = named === null ? all : all.slice(1);
  const headerRow = choices.headerRow ?? guessHeader(records, isKnownName);
  const filled = records.filter((one) => !isBlank(one));
  const headCells = filled.find(({ row }) => row === headerRow)?.cells ?? [];
  const head = headCells.slice(0, MAX_COLUMNS + 1).map(nameOf);
  const body = filled.filter(({ row }) => row > headerRow);
  const width = widthOf(head, body);
  const rows = body.map((one) => toRow(one, width));
  return {
    name,
    header: nameColumns(Array.from({ length: width }, (_, column) => head[column] ?? '')),
    rows,
    reading: { encoding, delimiter, headerRow },
    isEncodingCertain: isCertain,
    firstRows: filled
      .slice(0, FIRST_ROWS)
      .map(({ row, cells }) => ({ row, text: cells.slice(0, FIRST_CELLS).map(cleanCell).filter(Boolean).join(' · ') })),
    above: filled.filter(({ row }) => row < headerRow).length,
    swallowed: body
      .filter(({ cells }) => cells.some((cell) => mayHaveSwallowed(cell, delimiter)))
      .map(({ row }) => row),
    short: body.filter(({ cells }, at) => cells.length < width && rows[at]?.fault === null).length,
    nuls,
    fault: faultOf(rows.length, width),
    reread: (others) => parseTable(name, bytes, others),
  };
}

/** A quote that is closed in a later line makes one cell of what is between: it may be the number of another lead. */
const mayHaveSwallowed = (cell: string, delimiter: string): boolean =>
  cell.trim().includes('\n') && cell.includes(delimiter);

const notCsv = (kind: string) =>
  new Error(t('This is {{kind}}, not a CSV file. Open it in a spreadsheet and save it as CSV first.', { kind }));

function faultOf(rows: number, width: number): string | null {
  if (rows === 0) return t('The file has no rows below its header.');
  if (width > MAX_COLUMNS) return t('The file has more than {{most}} columns.', { most: MAX_COLUMNS });
  if (rows > MAX_ROWS)
    return t('The file has {{count}} rows: at most {{most}}. Split it.', { count: `${rows}`, most: MAX_ROWS });
  return null;
}

/** Columns are those that are named or that most rows have, without empty ones at the end. */
function widthOf(head: readonly string[], body: readonly CsvRecord[]): number {
  const common = commonWidth(body);
  // One long row is a mistake in it; many are a column without a name.
  const isCommon = head.length === 0 || (common.rows > 1 && common.rows > body.length / 2);
  let width = Math.max(1, filledWidth(head), isCommon ? common.width : 0);
  const isEmpty = (column: number) =>
    (head[column] ?? '') === '' && body.every(({ cells }) => (cells[column] ?? '').trim() === '');
  while (width > 1 && isEmpty(width - 1)) width--;
  // Such a file is refused whatever its width.
  return Math.min(width, MAX_COLUMNS + 1);
}

const filledWidth = (cells: readonly string[]): number => cells.findLastIndex((cell) => cell.trim() !== '') + 1;

function toRow({ row, line, cells, quotes }: CsvRecord, width: number): TableRow {
  const common = { line: row, fileLine: line };
  const isUnclear = quotes === 'broken' || (quotes === 'loose' && cells.length !== width);
  if (isUnclear) return { ...common, cells, fault: t('A quote is not closed') };
  const count = filledWidth(cells);
  if (count > width)
    return { ...common, cells, fault: t('{{count}} cells, but {{width}} columns', { count: `${count}`, width }) };
  return { ...common, cells: Array.from({ length: width }, (_, at) => cleanCell(cells[at] ?? '')), fault: null };
}

/** Return the text of a cell, without what tells a spreadsheet that it is text: `="007"`, or our own apostrophe. */
function cleanCell(cell: string): string {
  const text = cell.trim();
  const quoted = /^="(.*)"$/s.exec(text)?.[1];
  return quoted === undefined ? unescapeFormulas(text) : quoted.replaceAll('""', '"');
}

/** Return the name of a column in one line, without what cannot be seen. */
const nameOf = (cell: string): string =>
  cleanCell(cell.replace(/\p{Cf}/gu, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** Give every column a unique, non-empty name. */
function nameColumns(head: readonly string[]): string[] {
  const names = new Set<string>();
  for (const [index, cell] of head.entries()) {
    const baseName = cell || t('Column {{number}}', { number: index + 1 });
    let name = baseName;
    for (let suffix = 2; names.has(name); suffix++) name = `${baseName} (${suffix})`;
    names.add(name);
  }
  return [...names];
}
