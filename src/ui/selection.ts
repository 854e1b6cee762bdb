/**
 * The selected rows of a list. The selection survives paging and sorting, and ends when the search or filters change.
 */
import { useState } from 'react';

export interface Selection {
  readonly chosen: ReadonlySet<number>;
  choose: (next: ReadonlySet<number>) => void;
  clear: () => void;
}

const NOTHING: ReadonlySet<number> = new Set();

/** Return the selection of a list. `listKey` identifies the search and filters; a new key clears the selection. */
export function useSelection(listKey: string): Selection {
  const [state, setState] = useState({ found: listKey, chosen: NOTHING });
  return {
    chosen: state.found === listKey ? state.chosen : NOTHING,
    choose: (chosen) => setState({ found: listKey, chosen }),
    clear: () => setState({ found: listKey, chosen: NOTHING }),
  };
}

/** Add or remove a row. */
export function toggleSelected(chosen: ReadonlySet<number>, id: number): ReadonlySet<number> {
  return setSelected(chosen, [id], !chosen.has(id));
}

/** Add or remove rows. */
export function setSelected(
  chosen: ReadonlySet<number>,
  ids: readonly number[],
  isSelected: boolean,
): ReadonlySet<number> {
  const next = new Set(chosen);
  for (const id of ids) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** Return the rows between two ids, inclusive, in list order. Either id may come first. */
export function idsBetween(ids: readonly number[], one: number, other: number): number[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)];
  if (from < 0 || to < 0) return [other];
  return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
}
