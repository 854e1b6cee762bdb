/** Which rows of a list are chosen. It outlives paging and sorting, and ends when something else is looked for. */
import { useState } from 'react';

export interface Selection {
  readonly chosen: ReadonlySet<number>;
  choose: (next: ReadonlySet<number>) => void;
  clear: () => void;
}

const NOTHING: ReadonlySet<number> = new Set();

/** `found` names what the list looks for: another one empties the selection. */
export function useSelection(found: string): Selection {
  const [state, setState] = useState({ found, chosen: NOTHING });
  return {
    chosen: state.found === found ? state.chosen : NOTHING,
    choose: (chosen) => setState({ found, chosen }),
    clear: () => setState({ found, chosen: NOTHING }),
  };
}

/** The set with a row put in or taken out. */
export function toggled(chosen: ReadonlySet<number>, id: number): ReadonlySet<number> {
  return withAll(chosen, [id], !chosen.has(id));
}

/** The set with rows put in or taken out. */
export function withAll(chosen: ReadonlySet<number>, ids: readonly number[], on: boolean): ReadonlySet<number> {
  const next = new Set(chosen);
  for (const id of ids) {
    if (on) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** The rows from one to the other, in the order of the list, whichever comes first. */
export function between(ids: readonly number[], one: number, other: number): number[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)];
  if (from < 0 || to < 0) return [other];
  return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
}
