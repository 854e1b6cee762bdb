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

/** Widths of a column in pixels: its share of the table, and what its longest cell needs. */
export interface ColumnWidths {
  readonly share: number;
  readonly needed: number;
}

/**
 * Return the widths of columns: their shares, but what some do not need goes to those whose cells would be cut. Of these,
 * each gets as much as the others until it has what it needs. The sum stays the same.
 */
export function shareRoom(columns: readonly ColumnWidths[]): number[] {
  const widths = columns.map(({ share }) => share);
  const lacking = ({ share, needed }: ColumnWidths) => Math.max(0, needed - share);
  const spare = columns.map(({ share, needed }) => Math.max(0, share - needed));
  const room = sum(spare);
  const taken = Math.min(room, sum(columns.map(lacking)));
  if (taken === 0) return widths;
  const wanting = columns.flatMap((column, index) => (lacking(column) > 0 ? [{ index, lacks: lacking(column) }] : []));
  wanting.sort((one, other) => one.lacks - other.lacks);
  let left = taken;
  for (const [place, { index, lacks }] of wanting.entries()) {
    const extra = Math.min(lacks, left / (wanting.length - place));
    widths[index] = (widths[index] ?? 0) + extra;
    left -= extra;
  }
  return widths.map((width, index) => width - ((spare[index] ?? 0) / room) * taken);
}

/**
 * Return the widths with the first columns stretched so that they end at `edge`, where the others are beyond it and have
 * the room to give. The sum stays the same.
 */
export function endAt(edge: number, widths: readonly number[]): readonly number[] {
  let [count, end] = [0, 0];
  while (count < widths.length && end + (widths[count] ?? 0) <= edge) end += widths[count++] ?? 0;
  const beyond = sum(widths.slice(count));
  const missing = edge - end;
  if (count === 0 || count === widths.length || missing > beyond / 2) return widths;
  return widths.map((width, index) => (index < count ? width * (edge / end) : width * (1 - missing / beyond)));
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
