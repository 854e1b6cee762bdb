/** Which saved view a list was opened from, and in which version; kept while the tab is open. */
import { z } from 'zod';
import type { SavedView } from '../../viewContract.ts';

const reference = z.object({ id: z.int(), version: z.int() });
export type OpenedView = z.output<typeof reference>;

const keyOf = (list: string): string => `rapport.view.${list}`;

/** Note that a list was opened from a view, or stored as one. */
export function rememberView(list: string, { id, version }: OpenedView): void {
  try {
    sessionStorage.setItem(keyOf(list), JSON.stringify({ id, version }));
  } catch {
    // Without storage a changed view can only be saved under a new name.
  }
}

export function openedView(list: string): OpenedView | null {
  try {
    return reference.parse(JSON.parse(sessionStorage.getItem(keyOf(list)) ?? 'null'));
  } catch {
    return null;
  }
}

type Params = Readonly<Record<string, string>>;

/**
 * Return the view that a list shows, and the one that it was opened from and shows with changes. A list without search,
 * filters and order shows none.
 */
export function viewInList<View extends Pick<SavedView, 'id' | 'params'>>(
  views: readonly View[],
  { opened, params }: { opened: OpenedView | null; params: Params },
): { readonly current: View | null; readonly changed: View | null } {
  const origin = views.find(({ id }) => id === opened?.id);
  if (origin && isSame(origin.params, params)) return { current: origin, changed: null };
  const current = views.find((view) => isSame(view.params, params)) ?? null;
  return { current, changed: current || Object.keys(params).length === 0 ? null : (origin ?? null) };
}

function isSame(one: Params, other: Params): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
