/** Which rows of a list are chosen. It outlives paging and sorting, and ends when something else is looked for. */
import { useState } from 'react';

export interface Selection {
  readonly chosen: ReadonlySet<number>;
  choose: (next: ReadonlySet<number>) => void;
  clear: () => void;
}

const NOTHING: ReadonlySet<number> = new Set();

/** `found` names what the list looks for: another one empties the selection. */
export function useSelection(listKey: string): Selection {
  const [state, setState] = useState({ found: listKey, chosen: NOTHING });
  return {
    chosen: state.found === listKey ? state.chosen : NOTHING,
    choose: (chosen) => setState({ found: listKey, chosen }),
    clear: () => setState({ found: listKey, chosen: NOTHING }),
  };
}

/** The set with a row put in or taken out. */
export function toggleSelected(chosen: ReadonlySet<number>, id: number): ReadonlySet<number> {
  return setSelected(chosen, [id], !chosen.has(id));
}

/** The set with rows put in or taken out. */
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

/** The rows from one to the other, in the order of the list, whichever comes first. */
export function idsBetween(ids: readonly number[], one: number, other: number): number[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)];
  if (from < 0 || to < 0) return [other];
  return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
}
