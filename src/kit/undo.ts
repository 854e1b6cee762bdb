/** How what a tool did is taken back: a draft on the page, or what was stored. */
import { useLayoutEffect } from 'react';
import { ApiError } from './api.ts';
import { type Undo, Undoable } from './pageContext.ts';
import { t } from './t.ts';

/** What a page says of itself to tools, which run and are taken back long after it was drawn; null: it is gone. */
export interface InView<T> {
  now: T | null;
}

/** The views of a page, told apart by the id of what it shows. */
export function viewsById<T>(): (id: number) => InView<T> {
  const known = new Map<number, InView<T>>();
  return (id) => {
    const view = known.get(id) ?? { now: null };
    known.set(id, view);
    return view;
  };
}

/** What is edited on a page, plain, and the way to put something else in its place. */
export interface Draft<T> {
  readonly value: T;
  readonly put: (value: T) => void;
}

/** Keeps `view` at what the page shows for as long as it is there. */
export function useInView<T>(view: InView<T>, value: T): void {
  useLayoutEffect(() => {
    view.now = value;
  });
  useLayoutEffect(
    () => () => {
      view.now = null;
    },
    [view],
  );
}

/** Puts `next` on the page; it can be taken back while the page still shows just that. */
export function changeDraft<T>(view: InView<Draft<T>>, next: T, result: unknown): Undoable {
  const page = view.now;
  if (page === null) throw new Error(t('The page is not open any more.'));
  const { value: before } = page;
  page.put(next);
  return new Undoable(result, draftUndo(view, before, next));
}

/** Undo of what became `left` on the page and was `before`. */
export function draftUndo<T>(view: InView<Draft<T>>, before: T, left: T): Undo {
  return {
    unchanged: () => view.now !== null && sameValue(view.now.value, left),
    run: () => view.now?.put(before),
  };
}

interface Stored<T> {
  /** As the tool left it. */
  readonly left: T;
  readonly read: () => Promise<T>;
  /** Puts the former back. */
  readonly putBack: () => Promise<unknown>;
}

/** Undo of what was stored: while it reads as it was left. */
export function storedUndo<T>({ left, read, putBack }: Stored<T>): Undo {
  return {
    unchanged: async () => {
      try {
        return sameValue(await read(), left);
      } catch {
        // Nobody knows how it stands, so nothing is put over it.
        return false;
      }
    },
    run: putBack,
  };
}

/** Undo of settings that were stored from a page which edits them: besides, nothing else may be typed there since. */
export function settingUndo<T, S>(view: InView<Draft<T>>, typed: T, stored: Stored<S>): Undo {
  const undo = storedUndo(stored);
  return {
    unchanged: async () => (view.now === null || sameValue(view.now.value, typed)) && (await undo.unchanged()),
    run: undo.run,
  };
}

/** What a call reads; null: it is not there (any more). */
export async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Whether two plain values say the same, in whatever order their keys stand. */
export function sameValue(a: unknown, b: unknown): boolean {
  return inOrder(a) === inOrder(b);
}

function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([x], [y]) => (x < y ? -1 : 1)))
      : one,
  );
}
