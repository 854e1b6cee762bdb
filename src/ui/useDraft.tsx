/**
 * What is stored and edited on a page: the draft on the screen, what it began from, and the ways between the two. A
 * draft is kept in the browser until it is saved or discarded, and what others save meanwhile is never written over
 * without a question.
 */
import { lazy, type ReactNode, type SetStateAction, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { ApiError, ifMatchOf } from './api.ts';
import type { DocumentField } from './documentField.ts';
import { deleteDraft, readDraft, storeDraft } from './drafts.ts';
import { type LeaveGuard, useLeaveGuard } from './leaveGuard.tsx';
import { RestoredNotice } from './RestoredNotice.tsx';
import { useScope } from './scope.ts';
import { isDeepEqual } from './undo.ts';

const ConflictDialog = lazy(() => import('./ConflictDialog.tsx'));

/** How a draft is written down, `P` being plain data: without what only the page needs of it. */
export interface DraftCodec<D, P> {
  /** What is read back; of another version of the console it may not fit. */
  readonly schema: z.ZodType<P>;
  readonly serialize: (draft: D) => P;
  readonly deserialize: (plain: P) => D;
}

/** Of a draft that is plain data. */
export const plainDraftCodec = <D,>(schema: z.ZodType<D>): DraftCodec<D, D> => ({
  schema,
  serialize: (draft) => draft,
  deserialize: (plain) => plain,
});

interface DraftOptions<S, D, P> {
  /** What is edited: `schedule/3`. Another place is another document. Null: there is nothing to edit yet. */
  readonly draftKey: string | null;
  /** What it is called where unsaved changes are listed. */
  readonly what: string;
  /** As it was read; null: nothing is stored. */
  readonly loaded: S;
  readonly draftOf: (stored: S) => D;
  readonly codec: DraftCodec<D, P>;
  /** What of a draft counts as a change; without it all of it. */
  readonly compared?: (draft: D) => unknown;
  /** What others may save meanwhile; without it nobody else can. */
  readonly shared?: {
    readonly reload: () => Promise<S>;
    readonly describe: (draft: D) => readonly DocumentField[];
  };
  /** Puts what is stored now wherever else it is shown. */
  readonly onStored?: (now: S) => void;
  /** Something else on the page would be lost, and is not kept. */
  readonly alsoUnsaved?: boolean;
  /** Drafts are not kept: they hold secrets. */
  readonly secret?: boolean;
}

export interface DraftState<S, D> {
  readonly stored: S;
  readonly draft: D;
  /** Something on the screen would be lost. */
  readonly changed: boolean;
  readonly setDraft: (next: SetStateAction<D>) => void;
  /**
   * Puts what is stored now into the place of what was. Whoever asks for a save calls the one that he had when he
   * asked: what was typed after that stays on the page, and stays unsaved.
   */
  readonly setStored: (now: S) => void;
  /** Back to what is stored. */
  readonly restore: () => void;
  /**
   * Stores what is on the page by `write`, which is given the version that it writes over, and takes what it answers.
   * Throws what `write` throws; `ConflictError` where somebody else saved meanwhile, which the page then asks about.
   */
  readonly save: (write: (ifMatch: string | null) => Promise<S>) => Promise<S>;
  /** Its `question` asks about leaving, and about what others saved. */
  readonly guard: LeaveGuard;
  /** Says that unsaved changes were restored; to be rendered above what is edited. */
  readonly notice: ReactNode;
}

/** Somebody else saved meanwhile: the page asks whose document to go on with. */
export class ConflictError extends Error {}

interface DraftSnapshot<S, D> {
  readonly draftKey: string | null;
  readonly stored: S;
  readonly draft: D;
  /** The draft was there when the page opened. */
  readonly isRestored: boolean;
  /** What somebody else saved meanwhile, until the operator has decided. */
  readonly conflict: { readonly theirs: S; readonly sentence: string | null } | null;
}

/** Edits what was `found`. A row that changes under the page is followed while nothing is typed there. */
export function useDraft<S extends object | null, D, P>(editing: DraftOptions<S, D, P>): DraftState<S, D> {
  const { draftKey, what, loaded, draftOf, codec, shared, onStored, alsoUnsaved = false, secret = false } = editing;
  const compared = editing.compared ?? codec.serialize;
  const { operator } = useScope();
  const isSame = (a: D, b: D): boolean => isDeepEqual(compared(a), compared(b));

  const initialSnapshot = (): DraftSnapshot<S, D> => {
    const draft = draftOf(loaded);
    const fresh = { draftKey, stored: loaded, draft, isRestored: false, conflict: null };
    const storedDraft = draftKey === null || secret ? null : readDraft(operator.id, draftKey);
    const read = storedDraft && codec.schema.safeParse(storedDraft.value);
    if (!read?.success) return fresh;
    const mine = codec.deserialize(read.data);
    if (isSame(mine, draft)) return fresh;
    const isCurrent = !shared || storedDraft?.base === storedVersion(loaded);
    return { ...fresh, draft: mine, isRestored: true, conflict: isCurrent ? null : { theirs: loaded, sentence: null } };
  };
  const [latest, setSnapshot] = useState(initialSnapshot);
  const snapshot = latest.draftKey === draftKey ? latest : initialSnapshot();
  if (snapshot !== latest) setSnapshot(snapshot);
  const { stored, draft, conflict } = snapshot;
  const changed = !isSame(draft, draftOf(stored));
  const base = storedVersion(stored);

  const setDraft = useCallback(
    (next: SetStateAction<D>) =>
      setSnapshot((former) => ({ ...former, draft: isUpdater(next) ? next(former.draft) : next })),
    [],
  );
  /** Changes what is held, unless the page has gone on to another document since. */
  const update = (next: (former: DraftSnapshot<S, D>) => Partial<DraftSnapshot<S, D>>) =>
    setSnapshot((former) => (former.draftKey === draftKey ? { ...former, ...next(former) } : former));
  const setStored = (now: S) => {
    update(({ draft: typed }) => ({
      stored: now,
      draft: rebaseDraft({ typed, submitted: draft, stored: draftOf(now) }, compared),
      isRestored: false,
      conflict: null,
    }));
    onStored?.(now);
  };
  const restore = () => update((former) => ({ draft: draftOf(former.stored), isRestored: false }));
  useReloadedRow(loaded, { stored, changed }, setStored);

  const json = JSON.stringify(codec.serialize(draft));
  const { isStored, forget } = useDraftStorage(
    draftKey === null || secret ? null : { operatorId: operator.id, draftKey, what, base, json, changed },
    // Until the operator has decided, the draft is still one of the older document.
    conflict !== null,
  );
  const guard = useLeaveGuard(changed || alsoUnsaved, { draftKey, forget, isStored: () => isStored() && !alsoUnsaved });

  const save = async (write: (ifMatch: string | null) => Promise<S>): Promise<S> => {
    try {
      const now = await write(base);
      setStored(now);
      return now;
    } catch (error) {
      const theirs = await changedMeanwhile(error);
      if (theirs === undefined) throw error;
      if (isSame(draftOf(theirs), draft)) {
        setStored(theirs);
        return theirs;
      }
      const sentence = error instanceof ApiError && error.status === 409 ? error.sentence : null;
      update(() => ({ conflict: { theirs, sentence } }));
      throw new ConflictError(sentence ?? '', { cause: error });
    }
  };
  /** What somebody else stored since, where that is why a save was refused. */
  const changedMeanwhile = async (refusal: unknown): Promise<S | undefined> => {
    if (!shared || !(refusal instanceof ApiError) || (refusal.status !== 409 && refusal.status !== 404))
      return undefined;
    const now = await shared.reload().catch(() => undefined);
    return now === undefined || storedVersion(now) === base ? undefined : now;
  };

  return {
    stored,
    draft,
    changed,
    setDraft,
    setStored,
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
                onMine={() => update(() => ({ stored: conflict.theirs, conflict: null }))}
                onTheirs={() => {
                  const { theirs } = conflict;
                  update(() => ({ stored: theirs, draft: draftOf(theirs), isRestored: false, conflict: null }));
                  onStored?.(theirs);
                }}
              />
            </Suspense>
          )}
        </>
      ),
    },
    notice: snapshot.isRestored && changed && conflict === null && (
      <RestoredNotice onDiscard={restore} onClose={() => update(() => ({ isRestored: false }))} />
    ),
  };
}

/** Null: nothing is stored. */
const storedVersion = (stored: object | null): string | null => stored && ifMatchOf(stored);

/** A draft is plain data, never a function. */
function isUpdater<D>(next: SetStateAction<D>): next is (former: D) => D {
  return typeof next === 'function';
}

interface DraftStorageOptions {
  readonly operatorId: number;
  readonly draftKey: string;
  readonly what: string;
  readonly base: string | null;
  /** The plain draft as JSON. */
  readonly json: string;
  readonly changed: boolean;
}

/** Keeps a draft in the browser for as long as it differs from what is stored. Null: there is none to keep. */
function useDraftStorage(
  options: DraftStorageOptions | null,
  isPaused: boolean,
): { isStored: () => boolean; forget: () => void } {
  const { operatorId = 0, draftKey = null, what = '', base = null, json = '', changed = false } = options ?? {};
  const isStored = useRef(false);
  /** The place whose draft is saved or discarded; what still stands there is about to go. */
  const discardedKey = useRef<string | null>(null);
  useEffect(() => {
    if (!changed) discardedKey.current = null;
    if (draftKey === null || isPaused || discardedKey.current === draftKey) return;
    if (changed) isStored.current = storeDraft(operatorId, draftKey, { what, base, value: JSON.parse(json) });
    else {
      isStored.current = false;
      deleteDraft(operatorId, draftKey);
    }
  }, [operatorId, draftKey, what, base, json, changed, isPaused]);
  return {
    isStored: () => isStored.current,
    forget: () => {
      if (draftKey === null) return;
      discardedKey.current = draftKey;
      isStored.current = false;
      deleteDraft(operatorId, draftKey);
    },
  };
}

/** A text that is kept while it is typed, and found again without a word: what is about to be sent. */
export function usePersistedText({
  draftKey,
  what,
}: {
  draftKey: string;
  what: string;
}): [string, (text: string) => void] {
  const { operator } = useScope();
  const initialSnapshot = () => {
    const storedDraft = readDraft(operator.id, draftKey)?.value;
    return { place: draftKey, text: typeof storedDraft === 'string' ? storedDraft : '' };
  };
  const [latest, setSnapshot] = useState(initialSnapshot);
  const snapshot = latest.place === draftKey ? latest : initialSnapshot();
  if (snapshot !== latest) setSnapshot(snapshot);
  const change = (text: string) => {
    setSnapshot({ place: draftKey, text });
    if (text === '') deleteDraft(operator.id, draftKey);
    else storeDraft(operator.id, draftKey, { what, base: null, value: text });
  };
  return [snapshot.text, change];
}

/** The draft once `stored` is there: that, unless something was typed since the page showed `shown`. What was stays. */
export function rebaseDraft<D>(
  { typed, submitted, stored }: { typed: D; submitted: D; stored: D },
  compared: (draft: D) => unknown,
): D {
  return isDeepEqual(compared(typed), compared(submitted)) ? stored : typed;
}

/** Calls `follow` with a row that was read anew and differs, as soon as nothing typed would be lost by that. */
function useReloadedRow<S>(
  loaded: S,
  { stored, changed }: { stored: S; changed: boolean },
  onReload: (now: S) => void,
): void {
  const lastLoaded = useRef(loaded);
  useEffect(() => {
    if (changed || loaded === lastLoaded.current) return;
    lastLoaded.current = loaded;
    if (!isDeepEqual(loaded, stored)) onReload(loaded);
  });
}
