/** A file with a table in it: what spreadsheets save as CSV, whatever the country they think they are in. */
import Papa from 'papaparse';
import { t } from '../../../kit/t.ts';
import { undefused } from '../../../platform/csv.ts';
import { MOST_ROWS, type Table } from './table.ts';

const MOST_BYTES = 20 * 1024 * 1024;
const MOST_COLUMNS = 200;

/** Throws a sentence when it is no table that can be imported. */
export async function readTable(file: File): Promise<Table> {
  if (file.size > MOST_BYTES) throw new Error(t('The file is larger than 20 MB. Split it.'));
  return tableOf(file.name, decoded(await file.arrayBuffer()));
}

/** UTF-8, or else what Russian spreadsheets save. */
function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1251').decode(bytes);
  }
}

/** What divides the cells of the first line most often. */
function delimiterOf(text: string): string {
  const line = /^.*/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? '';
  const counted = [',', ';', '\t', '|'].map((sign) => ({ sign, count: line.split(sign).length }));
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).sign;
}

/** The table in a text; the delimiter is found by itself. */
export function tableOf(name: string, text: string): Table {
  if (text.includes('\0')) throw new Error(t('This is not a CSV file. Save the table as CSV first.'));
  const plain = text.replace(/^\ufeff/, '');
  const { data, errors } = Papa.parse<string[]>(plain, { delimiter: delimiterOf(plain) });
  const quotes = errors.find((one) => one.type === 'Quotes');
  if (quotes) throw new Error(t('The quotes in row {{row}} are not closed.', { row: (quotes.row ?? 0) + 1 }));
  const [head, ...body] = data;
  const rows = body.flatMap((cells, index) =>
    cells.some((cell) => cell.trim() !== '')
      ? [{ line: index + 2, cells: cells.map((cell) => undefused(cell.trim())) }]
      : [],
  );
  if (!head || rows.length === 0) throw new Error(t('The file has no rows below its header.'));
  if (head.length > MOST_COLUMNS)
    throw new Error(t('The file has more than {{most}} columns.', { most: MOST_COLUMNS }));
  if (rows.length > MOST_ROWS) {
    throw new Error(
      t('The file has {{count}} rows: at most {{most}}. Split it.', { count: `${rows.length}`, most: MOST_ROWS }),
    );
  }
  return { name, header: named(head), rows };
}

/** Every column has a name, and none twice. */
function named(head: readonly string[]): string[] {
  const names: string[] = [];
  for (const [index, cell] of head.entries()) {
    const wanted = undefused(cell.trim()) || t('Column {{number}}', { number: index + 1 });
    let name = wanted;
    for (let again = 2; names.includes(name); again++) name = `${wanted} (${again})`;
    names.push(name);
  }
  return names;
}
