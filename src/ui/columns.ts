/** Columns of a table, and which of them are shown. */
import type { ReactNode } from 'react';

export interface Column<T> {
  /** Unique in its table. */
  key: string;
  label: string;
  render: (row: T) => ReactNode;
  /** Name by which the server orders. Without it the column cannot be sorted by. */
  sort?: string;
  /** Share of the width; 1 holds a badge or a short time, 2 (the default) a name, 4 a sentence. */
  span?: number;
  /** Numbers stand on the right. */
  number?: boolean;
  /** Names the row and opens it; always shown. The first column when no column says so. */
  primary?: boolean;
  /** Not shown until it is chosen. */
  hiddenByDefault?: boolean;
  /** What the list has to be asked for it to be there: `{ with_cost: true }`. */
  listQuery?: Readonly<Record<string, boolean>>;
}

/** By column key: what the operator chose against the table's own idea. */
export type ColumnVisibility = Readonly<Record<string, boolean>>;

/** Key of the column that names a row. */
export function primaryColumn<T>(columns: readonly Column<T>[]): string | undefined {
  return (columns.find((column) => column.primary) ?? columns[0])?.key;
}

/** The columns to show, in their order. */
export function visibleColumns<T>(columns: readonly Column<T>[], choice: ColumnVisibility): Column<T>[] {
  const main = primaryColumn(columns);
  return columns.filter((column) => column.key === main || (choice[column.key] ?? !column.hiddenByDefault));
}
