/** Columns of a table, and the choice of visible ones. */
import type { ReactNode } from 'react';

export interface Column<T> {
  /** Unique in its table. */
  key: string;
  label: string;
  /** Explains the figures below, as a tooltip of the label. */
  hint?: string;
  render: (row: T) => ReactNode;
  /** The cell in an export, if it is neither rendered as text nor a field of the row. */
  text?: (row: T) => string;
  /** The server's name for ordering by this column. Without it the column is not sortable. */
  sort?: string;
  /** Share of the width: 1 fits a badge or a short time, 2 (the default) a name, 4 a sentence. */
  span?: number;
  /** Aligns the cells to the right, for numbers. On a phone they follow the row's name. */
  number?: boolean;
  /** On a phone the column follows the row's name, as numbers do. */
  early?: boolean;
  /** The column names the row and opens it, and is always visible. Defaults to the first column. */
  primary?: boolean;
  /** Hidden until the operator chooses it. */
  hiddenByDefault?: boolean;
  /** Query parameters that make the list include this column's data: `{ with_cost: true }`. */
  listQuery?: Readonly<Record<string, boolean>>;
}

/** Visibility by column key, for columns where the operator overrode the default. */
export type ColumnVisibility = Readonly<Record<string, boolean>>;

/** Return the key of the column that names a row. */
export function primaryColumn<T>(columns: readonly Column<T>[]): string | undefined {
  return (columns.find((column) => column.primary) ?? columns[0])?.key;
}

/** Width of the name on a phone at most, so that something else is visible beside it. */
const PHONE_NAME_SPAN = 2.4;

/** Return the columns as a phone shows them: a short name first, then what the list is read for, then the rest. */
export function phoneColumns<T>(columns: readonly Column<T>[]): Column<T>[] {
  const main = primaryColumn(columns);
  const placeOf = ({ key, number, early }: Column<T>) => (key === main ? 0 : early ? 1 : number ? 2 : 3);
  return columns
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((column) =>
      column.key === main ? { ...column, span: Math.min(column.span ?? PHONE_NAME_SPAN, PHONE_NAME_SPAN) } : column,
    );
}

/** Return the visible columns in their order. */
export function visibleColumns<T>(columns: readonly Column<T>[], choice: ColumnVisibility): Column<T>[] {
  const main = primaryColumn(columns);
  return columns.filter((column) => column.key === main || (choice[column.key] ?? !column.hiddenByDefault));
}
