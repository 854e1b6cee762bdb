/** The loaded rows of a view of the inbox, and how changes move them. Pure. */
import type { Dialogue } from '../../conversations/contract.ts';
import type { InboxRow, InboxView } from '../contract.ts';
import { compareInView, isInView } from '../views.ts';

/** The first rows of a view, in its order; `total` counts those that are not loaded too. */
export interface LoadedRows {
  readonly items: readonly InboxRow[];
  readonly total: number;
}

interface ChangeInView {
  readonly view: InboxView;
  readonly operatorId: number;
  /** The name of the dialogue's product; null if it is not known, or the product is not in sight. */
  readonly productName: string | null;
  /** Whether a row that was not there may be put in; in a search only the server knows. */
  readonly mayInsert: boolean;
}

/** Put a changed dialogue at its place, or take it out. A row beyond the loaded ones is only counted. */
export function placeRow(
  rows: LoadedRows,
  dialogue: Dialogue,
  { view, operatorId, productName, mayInsert }: ChangeInView,
): LoadedRows {
  const existing = rows.items.find(({ id }) => id === dialogue.id);
  const others = rows.items.filter(({ id }) => id !== dialogue.id);
  const isHere = isInView(view, dialogue, operatorId);
  if (!isHere) return existing ? { items: others, total: rows.total - 1 } : rows;
  const name = existing?.product_name ?? productName;
  if (name === null || (!existing && !mayInsert)) return rows;
  // What only a search has stays.
  const row: InboxRow = { ...existing, ...dialogue, product_name: name };
  const total = existing ? rows.total : rows.total + 1;
  const isComplete = rows.items.length >= rows.total;
  const at = others.findIndex((one) => compareInView(row, one) < 0);
  if (at < 0) return isComplete || existing ? { items: [...others, row], total } : { items: others, total };
  return { items: others.toSpliced(at, 0, row), total };
}

/** Take a deleted dialogue out. */
export function removeRow(rows: LoadedRows, id: number): LoadedRows {
  const items = rows.items.filter((row) => row.id !== id);
  return items.length === rows.items.length ? rows : { items, total: rows.total - 1 };
}

/** Append the next page, without the rows that are there already. */
export function appendRows(rows: LoadedRows, page: LoadedRows): LoadedRows {
  const ids = new Set(rows.items.map(({ id }) => id));
  const items = [...rows.items, ...page.items.filter(({ id }) => !ids.has(id))];
  return { items: items.sort(compareInView), total: page.total };
}

/** A row on screen. */
export interface VisibleRow {
  readonly row: InboxRow;
  /** It has left the view, and stays in its place until the pointer leaves the list. */
  readonly hasLeft: boolean;
}

/**
 * Return the rows to show. While the pointer is over the list no row moves: one that has left stays, and those that have
 * come are at the end.
 */
export function arrangeRows(
  before: readonly VisibleRow[],
  items: readonly InboxRow[],
  isPointerOver: boolean,
): VisibleRow[] {
  if (!isPointerOver) return items.map((row) => ({ row, hasLeft: false }));
  const current = new Map(items.map((row) => [row.id, row]));
  const existing = before.map(({ row }): VisibleRow => {
    const now = current.get(row.id);
    current.delete(row.id);
    return now ? { row: now, hasLeft: false } : { row, hasLeft: true };
  });
  return [...existing, ...[...current.values()].map((row) => ({ row, hasLeft: false }))];
}
