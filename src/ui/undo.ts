/** How what a tool did is taken back: a draft on the page, or what was stored. */
import { useLayoutEffect } from 'react';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';
import { type Undo, Undoable } from './pageContext.ts';

/** What a page says of itself to tools, which run and are taken back long after it was drawn; null: it is gone. */
export interface ViewRef<T> {
  current: T | null;
}

/** The views of a page, told apart by the id of what it shows. */
export function viewRefsById<T>(): (id: number) => ViewRef<T> {
  const refs = new Map<number, ViewRef<T>>();
  return (id) => {
    const view = refs.get(id) ?? { current: null };
    refs.set(id, view);
    return view;
  };
}

/** What is edited on a page, plain, and the way to put something else in its place. */
export interface Draft<T> {
  readonly value: T;
  readonly set: (value: T) => void;
}

/** Keeps `view` at what the page shows for as long as it is there. */
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

/** Puts `next` on the page; it can be taken back while the page still shows just that. */
export function changeDraft<T>(view: ViewRef<Draft<T>>, next: T, result: unknown): Undoable {
  const page = view.current;
  if (page === null) throw new Error(t('The page is not open any more.'));
  const { value: before } = page;
  page.set(next);
  return new Undoable(result, draftUndo(view, before, next));
}

/** Undo of what became `left` on the page and was `before`. */
export function draftUndo<T>(view: ViewRef<Draft<T>>, before: T, after: T): Undo {
  return {
    unchanged: () => view.current !== null && isDeepEqual(view.current.value, after),
    run: () => view.current?.set(before),
  };
}

interface StoredUndoOptions<T> {
  /** As the tool left it. */
  readonly after: T;
  readonly read: () => Promise<T>;
  /** Puts the former back. */
  readonly restore: () => Promise<unknown>;
}

/** Undo of what was stored: while it reads as it was left. */
export function storedUndo<T>({ after, read, restore }: StoredUndoOptions<T>): Undo {
  return {
    unchanged: async () => {
      try {
        return isDeepEqual(await read(), after);
      } catch {
        // Nobody knows how it stands, so nothing is put over it.
        return false;
      }
    },
    run: restore,
  };
}

/** Undo of settings that were stored from a page which edits them: besides, nothing else may be typed there since. */
export function settingUndo<T, S>(view: ViewRef<Draft<T>>, typed: T, stored: StoredUndoOptions<S>): Undo {
  const undo = storedUndo(stored);
  return {
    unchanged: async () =>
      (view.current === null || isDeepEqual(view.current.value, typed)) && (await undo.unchanged()),
    run: undo.run,
  };
}

/** What a call reads; null: it is not there (any more). */
export async function nullIfNotFound<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Whether two plain values say the same, in whatever order their keys stand. */
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
