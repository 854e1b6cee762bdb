/**
 * What is stored and edited on a page: the draft on the screen, what it began from, and the ways between the two. A
 * draft is kept in the browser until it is saved or discarded, and what others save meanwhile is never written over
 * without a question.
 */
import { lazy, type ReactNode, type SetStateAction, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { ApiError, tagOf } from './api.ts';
import type { DocumentField } from './documentField.ts';
import { dropDraft, keepDraft, readDraft } from './drafts.ts';
import { type LeaveGuard, useLeaveGuard } from './leaveGuard.tsx';
import { RestoredNotice } from './RestoredNotice.tsx';
import { useScope } from './scope.ts';
import { sameValue } from './undo.ts';

const ConflictDialog = lazy(() => import('./ConflictDialog.tsx'));

/** How a draft is written down, `P` being plain data: without what only the page needs of it. */
export interface DraftForm<D, P> {
  /** What is read back; of another version of the console it may not fit. */
  readonly shape: z.ZodType<P>;
  readonly plain: (draft: D) => P;
  readonly drawn: (plain: P) => D;
}

/** Of a draft that is plain data. */
export const plainDraft = <D,>(shape: z.ZodType<D>): DraftForm<D, D> => ({
  shape,
  plain: (draft) => draft,
  drawn: (plain) => plain,
});

interface Editing<S, D, P> {
  /** What is edited: `schedule/3`. Another place is another document. Null: there is nothing to edit yet. */
  readonly place: string | null;
  /** What it is called where unsaved changes are listed. */
  readonly what: string;
  /** As it was read; null: nothing is stored. */
  readonly found: S;
  readonly draftOf: (stored: S) => D;
  readonly form: DraftForm<D, P>;
  /** What of a draft counts as a change; without it all of it. */
  readonly compared?: (draft: D) => unknown;
  /** What others may save meanwhile; without it nobody else can. */
  readonly shared?: {
    readonly reread: () => Promise<S>;
    readonly describe: (draft: D) => readonly DocumentField[];
  };
  /** Puts what is stored now wherever else it is shown. */
  readonly onStored?: (now: S) => void;
  /** Something else on the page would be lost, and is not kept. */
  readonly alsoUnsaved?: boolean;
  /** Drafts are not kept: they hold secrets. */
  readonly secret?: boolean;
}

export interface Edited<S, D> {
  readonly stored: S;
  readonly draft: D;
  /** Something on the screen would be lost. */
  readonly changed: boolean;
  readonly setDraft: (next: SetStateAction<D>) => void;
  /**
   * Puts what is stored now into the place of what was. Whoever asks for a save calls the one that he had when he
   * asked: what was typed after that stays on the page, and stays unsaved.
   */
  readonly took: (now: S) => void;
  /** Back to what is stored. */
  readonly restore: () => void;
  /**
   * Stores what is on the page by `write`, which is given the version that it writes over, and takes what it answers.
   * Throws what `write` throws; `Conflict` where somebody else saved meanwhile, which the page then asks about.
   */
  readonly save: (write: (ifMatch: string | null) => Promise<S>) => Promise<S>;
  /** Its `question` asks about leaving, and about what others saved. */
  readonly guard: LeaveGuard;
  /** Says that unsaved changes were restored; to be rendered above what is edited. */
  readonly notice: ReactNode;
}

/** Somebody else saved meanwhile: the page asks whose document to go on with. */
export class Conflict extends Error {}

interface Held<S, D> {
  readonly place: string | null;
  readonly stored: S;
  readonly draft: D;
  /** The draft was there when the page opened. */
  readonly isRestored: boolean;
  /** What somebody else saved meanwhile, until the operator has decided. */
  readonly conflict: { readonly theirs: S; readonly sentence: string | null } | null;
}

/** Edits what was `found`. A row that changes under the page is followed while nothing is typed there. */
export function useEdited<S extends object | null, D, P>(editing: Editing<S, D, P>): Edited<S, D> {
  const { place, what, found, draftOf, form, shared, onStored, alsoUnsaved = false, secret = false } = editing;
  const compared = editing.compared ?? form.plain;
  const { operator } = useScope();
  const isSame = (a: D, b: D): boolean => sameValue(compared(a), compared(b));

  const begin = (): Held<S, D> => {
    const draft = draftOf(found);
    const fresh = { place, stored: found, draft, isRestored: false, conflict: null };
    const kept = place === null || secret ? null : readDraft(operator.id, place);
    const read = kept && form.shape.safeParse(kept.value);
    if (!read?.success) return fresh;
    const mine = form.drawn(read.data);
    if (isSame(mine, draft)) return fresh;
    const isCurrent = !shared || kept?.base === versionIn(found);
    return { ...fresh, draft: mine, isRestored: true, conflict: isCurrent ? null : { theirs: found, sentence: null } };
  };
  const [latest, setHeld] = useState(begin);
  const held = latest.place === place ? latest : begin();
  if (held !== latest) setHeld(held);
  const { stored, draft, conflict } = held;
  const changed = !isSame(draft, draftOf(stored));
  const base = versionIn(stored);

  const setDraft = useCallback(
    (next: SetStateAction<D>) =>
      setHeld((former) => ({ ...former, draft: isUpdate(next) ? next(former.draft) : next })),
    [],
  );
  /** Changes what is held, unless the page has gone on to another document since. */
  const put = (next: (former: Held<S, D>) => Partial<Held<S, D>>) =>
    setHeld((former) => (former.place === place ? { ...former, ...next(former) } : former));
  const took = (now: S) => {
    put(({ draft: typed }) => ({
      stored: now,
      draft: draftAfter({ typed, shown: draft, stored: draftOf(now) }, compared),
      isRestored: false,
      conflict: null,
    }));
    onStored?.(now);
  };
  const restore = () => put((former) => ({ draft: draftOf(former.stored), isRestored: false }));
  useFollow(found, { stored, changed }, took);

  const written = JSON.stringify(form.plain(draft));
  const { isKept, forget } = useKeeping(
    place === null || secret ? null : { operatorId: operator.id, place, what, base, written, changed },
    // Until the operator has decided, the draft is still one of the older document.
    conflict !== null,
  );
  const guard = useLeaveGuard(changed || alsoUnsaved, { place, forget, isKept: () => isKept() && !alsoUnsaved });

  const save = async (write: (ifMatch: string | null) => Promise<S>): Promise<S> => {
    try {
      const now = await write(base);
      took(now);
      return now;
    } catch (error) {
      const theirs = await changedMeanwhile(error);
      if (theirs === undefined) throw error;
      if (isSame(draftOf(theirs), draft)) {
        took(theirs);
        return theirs;
      }
      const sentence = error instanceof ApiError && error.status === 409 ? error.sentence : null;
      put(() => ({ conflict: { theirs, sentence } }));
      throw new Conflict(sentence ?? '', { cause: error });
    }
  };
  /** What somebody else stored since, where that is why a save was refused. */
  const changedMeanwhile = async (refusal: unknown): Promise<S | undefined> => {
    if (!shared || !(refusal instanceof ApiError) || (refusal.status !== 409 && refusal.status !== 404))
      return undefined;
    const now = await shared.reread().catch(() => undefined);
    return now === undefined || versionIn(now) === base ? undefined : now;
  };

  return {
    stored,
    draft,
    changed,
    setDraft,
    took,
    restore,
    save,
    guard: {
      ...guard,
      question: (
        <>
          {guard.question}
          {conflict && shared && (
            <Suspense>
              <ConflictDialog
                sentence={conflict.sentence}
                theirs={conflict.theirs && shared.describe(draftOf(conflict.theirs))}
                mine={shared.describe(draft)}
                // The next save says that theirs has been seen.
                onMine={() => put(() => ({ stored: conflict.theirs, conflict: null }))}
                onTheirs={() => {
                  const { theirs } = conflict;
                  put(() => ({ stored: theirs, draft: draftOf(theirs), isRestored: false, conflict: null }));
                  onStored?.(theirs);
                }}
              />
            </Suspense>
          )}
        </>
      ),
    },
    notice: held.isRestored && changed && conflict === null && (
      <RestoredNotice onDiscard={restore} onClose={() => put(() => ({ isRestored: false }))} />
    ),
  };
}

/** Null: nothing is stored. */
const versionIn = (stored: object | null): string | null => stored && tagOf(stored);

/** A draft is plain data, never a function. */
function isUpdate<D>(next: SetStateAction<D>): next is (former: D) => D {
  return typeof next === 'function';
}

interface Keeping {
  readonly operatorId: number;
  readonly place: string;
  readonly what: string;
  readonly base: string | null;
  /** The plain draft as JSON. */
  readonly written: string;
  readonly changed: boolean;
}

/** Keeps a draft in the browser for as long as it differs from what is stored. Null: there is none to keep. */
function useKeeping(keeping: Keeping | null, pauses: boolean): { isKept: () => boolean; forget: () => void } {
  const { operatorId = 0, place = null, what = '', base = null, written = '', changed = false } = keeping ?? {};
  const isKept = useRef(false);
  /** The place whose draft is saved or discarded; what still stands there is about to go. */
  const forgotten = useRef<string | null>(null);
  useEffect(() => {
    if (!changed) forgotten.current = null;
    if (place === null || pauses || forgotten.current === place) return;
    if (changed) isKept.current = keepDraft(operatorId, place, { what, base, value: JSON.parse(written) });
    else {
      isKept.current = false;
      dropDraft(operatorId, place);
    }
  }, [operatorId, place, what, base, written, changed, pauses]);
  return {
    isKept: () => isKept.current,
    forget: () => {
      if (place === null) return;
      forgotten.current = place;
      isKept.current = false;
      dropDraft(operatorId, place);
    },
  };
}

/** A text that is kept while it is typed, and found again without a word: what is about to be sent. */
export function useKeptText({ place, what }: { place: string; what: string }): [string, (text: string) => void] {
  const { operator } = useScope();
  const begin = () => {
    const kept = readDraft(operator.id, place)?.value;
    return { place, text: typeof kept === 'string' ? kept : '' };
  };
  const [latest, setHeld] = useState(begin);
  const held = latest.place === place ? latest : begin();
  if (held !== latest) setHeld(held);
  const change = (text: string) => {
    setHeld({ place, text });
    if (text === '') dropDraft(operator.id, place);
    else keepDraft(operator.id, place, { what, base: null, value: text });
  };
  return [held.text, change];
}

/** The draft once `stored` is there: that, unless something was typed since the page showed `shown`. What was stays. */
export function draftAfter<D>(
  { typed, shown, stored }: { typed: D; shown: D; stored: D },
  compared: (draft: D) => unknown,
): D {
  return sameValue(compared(typed), compared(shown)) ? stored : typed;
}

/** Calls `follow` with a row that was read anew and differs, as soon as nothing typed would be lost by that. */
function useFollow<S>(found: S, { stored, changed }: { stored: S; changed: boolean }, follow: (now: S) => void): void {
  const seen = useRef(found);
  useEffect(() => {
    if (changed || found === seen.current) return;
    seen.current = found;
    if (!sameValue(found, stored)) follow(found);
  });
}
