/** Undo for changes made by tools: of a draft on the page, or of stored data. */
import { useLayoutEffect } from 'react';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';
import { type Undo, Undoable } from './pageContext.ts';

/** A page's current value for tools, which run and are undone long after the page rendered. Null: the page is gone. */
export interface ViewRef<T> {
  current: T | null;
}

/** Create a lookup of view references by the id of the row that the page shows. */
export function viewRefsById<T>(): (id: number) => ViewRef<T> {
  const refs = new Map<number, ViewRef<T>>();
  return (id) => {
    const view = refs.get(id) ?? { current: null };
    refs.set(id, view);
    return view;
  };
}

/** The edited value of a page as plain data, with a setter. */
export interface Draft<T> {
  readonly value: T;
  readonly set: (value: T) => void;
}

/** Keep `view` at the page's current value while it is mounted. */
export function useViewRef<T>(view: ViewRef<T>, value: T): void {
  useLayoutEffect(() => {
    view.current = value;
  });
  useLayoutEffect(
    () => () => {
      view.current = null;
    },
    [view],
  );
}

/** Set `next` on the page. The change can be undone while the page still shows exactly that. */
export function changeDraft<T>(view: ViewRef<Draft<T>>, next: T, result: unknown): Undoable {
  const page = view.current;
  if (page === null) throw new Error(t('The page is no longer open.'));
  const { value: before } = page;
  page.set(next);
  return new Undoable(result, draftUndo(view, before, next));
}

/** Create the undo for a page value that changed from `before` to `after`. */
export function draftUndo<T>(view: ViewRef<Draft<T>>, before: T, after: T): Undo {
  return {
    unchanged: () => view.current !== null && isDeepEqual(view.current.value, after),
    run: () => view.current?.set(before),
  };
}

interface StoredUndoOptions<T> {
  /** The data as the tool left it. */
  readonly after: T;
  readonly read: () => Promise<T>;
  /** Restores the previous data. */
  readonly restore: () => Promise<unknown>;
}

/** Create the undo for stored data. It applies while the data is still as the tool left it. */
export function storedUndo<T>({ after, read, restore }: StoredUndoOptions<T>): Undo {
  return {
    unchanged: async () => {
      try {
        return isDeepEqual(await read(), after);
      } catch {
        // The current state is unknown, so nothing may overwrite it.
        return false;
      }
    },
    run: restore,
  };
}

/**
 * Create the undo for settings stored from an editing page. It also requires that nothing else was typed there since.
 */
export function settingUndo<T, S>(view: ViewRef<Draft<T>>, typed: T, stored: StoredUndoOptions<S>): Undo {
  const undo = storedUndo(stored);
  return {
    unchanged: async () =>
      (view.current === null || isDeepEqual(view.current.value, typed)) && (await undo.unchanged()),
    run: undo.run,
  };
}

/** Return the row of a read, or null if it does not exist (any more). */
export async function nullIfNotFound<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Return whether two plain values are equal, regardless of key order. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  return stableJson(a) === stableJson(b);
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([x], [y]) => (x < y ? -1 : 1)))
      : one,
  );
}
