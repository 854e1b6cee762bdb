/** Reads a table from CSV as spreadsheets save it, whatever their locale. */
import Papa from 'papaparse';
import { unescapeFormulas } from '../../../platform/csv.ts';
import { t } from '../../../ui/i18n.ts';
import { MAX_ROWS, type Table } from './table.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_COLUMNS = 200;

/** Read the table of a file. Throws an error with a sentence for the operator if it cannot be imported. */
export async function readTable(file: File): Promise<Table> {
  if (file.size > MAX_BYTES) throw new Error(t('The file is larger than 20 MB. Split it.'));
  return parseTable(file.name, decodeText(await file.arrayBuffer()));
}

/** Decode as UTF-8, or else as windows-1251, which Russian spreadsheets save. */
function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1251').decode(bytes);
  }
}

/** Return the delimiter that occurs most often in the first line. */
function findDelimiter(text: string): string {
  const line = /^.*/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? '';
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

/** Parse a table; the delimiter is detected. */
export function parseTable(name: string, text: string): Table {
  if (text.includes('\0')) throw new Error(t('This is not a CSV file. Save the table as CSV first.'));
  const plain = text.replace(/^\ufeff/, '');
  const { data, errors } = Papa.parse<string[]>(plain, { delimiter: findDelimiter(plain) });
  const quotes = errors.find((one) => one.type === 'Quotes');
  if (quotes) throw new Error(t('The quotes in row {{row}} are not closed.', { row: (quotes.row ?? 0) + 1 }));
  const [head, ...body] = data;
  const rows = body.flatMap((cells, index) =>
    cells.some((cell) => cell.trim() !== '')
      ? [{ line: index + 2, cells: cells.map((cell) => unescapeFormulas(cell.trim())) }]
      : [],
  );
  if (!head || rows.length === 0) throw new Error(t('The file has no rows below its header.'));
  if (head.length > MAX_COLUMNS) throw new Error(t('The file has more than {{most}} columns.', { most: MAX_COLUMNS }));
  if (rows.length > MAX_ROWS) {
    throw new Error(
      t('The file has {{count}} rows: at most {{most}}. Split it.', { count: `${rows.length}`, most: MAX_ROWS }),
    );
  }
  return { name, header: nameColumns(head), rows };
}

/** Give every column a unique, non-empty name. */
function nameColumns(head: readonly string[]): string[] {
  const names: string[] = [];
  for (const [index, cell] of head.entries()) {
    const baseName = unescapeFormulas(cell.trim()) || t('Column {{number}}', { number: index + 1 });
    let name = baseName;
    for (let suffix = 2; names.includes(name); suffix++) name = `${baseName} (${suffix})`;
    names.push(name);
  }
  return names;
}
