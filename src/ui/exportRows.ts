/** Saves the rows of a list as CSV. */
import { toCsv } from '../platform/csv.ts';
import { call } from './api.ts';
import type { Column } from './columns.ts';
import { downloadFile } from './downloadFile.ts';
import type { ReadableResource, Row } from './resource.ts';

export interface ExportOptions<T extends Row> {
  crud: Pick<ReadableResource<T>, 'list' | 'plural'>;
  /** The visible columns. */
  columns: readonly Column<T>[];
  /** The current filters, search and order. */
  query: Readonly<Record<string, unknown>>;
}

const PAGE_LIMIT = 100;
/** Row limit of an export, because all rows are held in the browser's memory. */
const MAX_ROWS = 50_000;

/** Download every row that matches the query, with the given columns. Returns how many there are. */
export async function exportRows<T extends Row>({ crud, columns, query }: ExportOptions<T>): Promise<number> {
  const rows: T[] = [];
  for (let page = 1; rows.length < MAX_ROWS; page++) {
    const pageQuery = { ...query, page, limit: PAGE_LIMIT, with_total: false };
    const { items } = await call(crud.list, { query: pageQuery });
    rows.push(...items);
    if (items.length < PAGE_LIMIT) break;
  }
  const head = columns.map((column) => column.label);
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)));
  downloadFile(`${crud.plural.replaceAll(' ', '-')}.csv`, toCsv([head, ...cells]));
  return rows.length;
}

/** The plain text of a cell. */
function cellText<T extends Row>(column: Column<T>, row: T): string | number {
  if (column.text) return column.text(row);
  const rendered = column.render(row);
  if (typeof rendered === 'string' || typeof rendered === 'number') return rendered;
  const raw: unknown = Object.getOwnPropertyDescriptor(row, column.key)?.value;
  if (typeof raw === 'string' || typeof raw === 'number') return raw;
  return raw === null || raw === undefined ? '' : JSON.stringify(raw);
}
