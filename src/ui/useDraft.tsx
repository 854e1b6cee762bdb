/**
 * Editing of stored data on a page: the draft, the version it started from, and saving. A draft is kept in the browser
 * until it is saved or discarded, and changes that others save meanwhile are never overwritten without asking.
 */
import { lazy, type ReactNode, type SetStateAction, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { versionOf } from '../platform/rowVersion.ts';
import { ApiError, ifMatchOf } from './api.ts';
import type { DocumentField } from './documentField.ts';
import { deleteDraft, readDraft, storeDraft } from './drafts.ts';
import { type LeaveGuard, useLeaveGuard } from './leaveGuard.tsx';
import { RestoredNotice } from './RestoredNotice.tsx';
import { useScope } from './scope.ts';
import { isDeepEqual } from './undo.ts';

const ConflictDialog = lazy(() => import('./ConflictDialog.tsx'));

/** Converts a draft to and from plain data `P`, without the parts that only the page needs. */
export interface DraftCodec<D, P> {
  /** Schema of the stored draft. One from another version of the console may not match. */
  readonly schema: z.ZodType<P>;
  readonly serialize: (draft: D) => P;
  readonly deserialize: (plain: P) => D;
}

/** Create the codec of a draft that is plain data. */
export const plainDraftCodec = <D,>(schema: z.ZodType<D>): DraftCodec<D, D> => ({
  schema,
  serialize: (draft) => draft,
  deserialize: (plain) => plain,
});

interface DraftOptions<S, D, P> {
  /** Key of the document: `schedule/3`. Another key is another document. Null: there is nothing to edit yet. */
  readonly draftKey: string | null;
  /** Name in the list of unsaved changes. */
  readonly what: string;
  /** The data as read; null: nothing is stored. */
  readonly loaded: S;
  readonly draftOf: (stored: S) => D;
  readonly codec: DraftCodec<D, P>;
  /** Returns the part of a draft that counts as a change. Defaults to all of it. */
  readonly compared?: (draft: D) => unknown;
  /** For documents that others may change too: how to reload and describe them. */
  readonly shared?: {
    readonly reload: () => Promise<S>;
    readonly describe: (draft: D) => readonly DocumentField[];
  };
  /** Called with the stored version, to update other places that show it. */
  readonly onStored?: (now: S) => void;
  /** The page has other unsaved input that is not kept in the browser. */
  readonly alsoUnsaved?: boolean;
  /** The draft contains secrets, so it is not kept in the browser. */
  readonly secret?: boolean;
}

export interface DraftState<S, D> {
  readonly stored: S;
  readonly draft: D;
  /** Whether there are unsaved changes. */
  readonly changed: boolean;
  readonly setDraft: (next: SetStateAction<D>) => void;
  /**
   * Replaces the stored version after a save. Call the function from the render in which the save began: anything typed
   * since then stays on the page, unsaved.
   */
  readonly setStored: (now: S) => void;
  /** Resets the draft to the stored version. */
  readonly restore: () => void;
  /**
   * Saves the draft with `write`, which gets the ETag of the version to overwrite, and adopts the result. Throws what
   * `write` throws, or `ConflictError` if someone else saved meanwhile; the page then shows the conflict dialog.
   */
  readonly save: (write: (ifMatch: string | null) => Promise<S>) => Promise<S>;
  /** Leave guard. Its `question` also renders the conflict dialog. */
  readonly guard: LeaveGuard;
  /** Notice that unsaved changes were restored, to be rendered above the form. */
  readonly notice: ReactNode;
}

/** Someone else saved meanwhile. The page asks which version to continue with. */
export class ConflictError extends Error {}

interface DraftSnapshot<S, D> {
  readonly draftKey: string | null;
  readonly stored: S;
  readonly draft: D;
  /** The draft was restored when the page opened. */
  readonly isRestored: boolean;
  /** The version that someone else saved meanwhile, until the operator decides. */
  readonly conflict: { readonly theirs: S; readonly sentence: string | null } | null;
}

/** Edit `loaded`. Changes made elsewhere appear on the page as long as it has no unsaved input. */
export function useDraft<S extends object | null, D, P>(editing: DraftOptions<S, D, P>): DraftState<S, D> {
  const { draftKey, what, loaded, draftOf, codec, shared, onStored, alsoUnsaved = false, secret = false } = editing;
  const compared = editing.compared ?? codec.serialize;
  const isSame = (a: D, b: D): boolean => isDeepEqual(compared(a), compared(b));
  const { operator } = useScope();
  const { snapshot, update, setDraft } = useSnapshot(editing, isSame);
  const { stored, draft, conflict } = snapshot;
  const changed = !isSame(draft, draftOf(stored));
  const base = storedVersion(stored);

  const adopt = (now: S, next: (typed: D) => D) => {
    update((former) => ({ stored: now, draft: next(former.draft), isRestored: false, conflict: null }));
    onStored?.(now);
  };
  const setStored = (now: S) =>
    adopt(now, (typed) => rebaseDraft({ typed, submitted: draft, stored: draftOf(now) }, compared));
  const restore = () => update((former) => ({ draft: draftOf(former.stored), isRestored: false }));
  const saving = useSaving();
  useReloadedRow(loaded, { stored, isBusy: () => changed || saving.isUnderWay() }, setStored);

  const json = JSON.stringify(codec.serialize(draft));
  const { isStored, forget } = useDraftStorage(
    draftKey === null || secret ? null : { operatorId: operator.id, draftKey, what, base, json, changed },
    // Until the operator decides, the draft is still based on the older document.
    conflict !== null,
  );
  const guard = useLeaveGuard(changed || alsoUnsaved, { draftKey, forget, isStored: () => isStored() && !alsoUnsaved });

  const adoptSaved = async (write: (ifMatch: string | null) => Promise<S>): Promise<S> => {
    const isUntouched = (theirs: S) => theirs !== null && isSame(draftOf(theirs), draftOf(stored));
    const outcome = await writeOver(write, { base, reload: shared?.reload, isUntouched });
    if ('now' in outcome) {
      setStored(outcome.now);
      return outcome.now;
    }
    const { theirs, refusal } = outcome;
    if (isSame(draftOf(theirs), draft)) {
      setStored(theirs);
      return theirs;
    }
    const sentence = refusal instanceof ApiError && refusal.status === 409 ? refusal.sentence : null;
    update(() => ({ conflict: { theirs, sentence } }));
    throw new ConflictError(sentence ?? '', { cause: refusal });
  };
  const save: typeof adoptSaved = (write) => saving.during(adoptSaved(write));
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
                mine={shared.describe(draft)}
                theirs={conflict.theirs && shared.describe(draftOf(conflict.theirs))}
                sentence={conflict.sentence}
                // The next save is based on their version, so it overwrites it.
                onMine={() => update(() => ({ stored: conflict.theirs, conflict: null }))}
                onTheirs={() => adopt(conflict.theirs, () => draftOf(conflict.theirs))}
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

/** Know whether a save is under way. */
function useSaving() {
  const count = useRef(0);
  return {
    isUnderWay: () => count.current > 0,
    during: async <T,>(save: Promise<T>): Promise<T> => {
      count.current += 1;
      return save.finally(() => {
        count.current -= 1;
      });
    },
  };
}

/** Keep the state of the current document. It starts with the draft that the browser kept, if there is one. */
function useSnapshot<S extends object | null, D, P>(
  { draftKey, loaded, draftOf, codec, shared, secret = false }: DraftOptions<S, D, P>,
  isSame: (a: D, b: D) => boolean,
) {
  const { operator } = useScope();
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
  const setDraft = useCallback(
    (next: SetStateAction<D>) =>
      setSnapshot((former) => ({ ...former, draft: isUpdater(next) ? next(former.draft) : next })),
    [],
  );
  /** Update the state, unless the page has moved on to another document. */
  const update = (next: (former: DraftSnapshot<S, D>) => Partial<DraftSnapshot<S, D>>) =>
    setSnapshot((former) => (former.draftKey === draftKey ? { ...former, ...next(former) } : former));
  return { snapshot, update, setDraft };
}

/**
 * Write over the version that the draft is based on, or over a newer one that differs in nothing that is edited here:
 * another part of the row was changed, such as what is live of a prompt. Returns the version that someone else has stored
 * if it differs. Throws what `write` throws.
 */
async function writeOver<S extends object | null>(
  write: (ifMatch: string | null) => Promise<S>,
  {
    base,
    reload,
    isUntouched,
  }: { base: string | null; reload: (() => Promise<S>) | undefined; isUntouched: (theirs: S) => boolean },
): Promise<{ readonly now: S } | { readonly theirs: S; readonly refusal: unknown }> {
  try {
    return { now: await write(base) };
  } catch (refusal) {
    const theirs = await changedMeanwhile(refusal, { reload, base });
    if (theirs === undefined) throw refusal;
    return isUntouched(theirs) ? { now: await write(storedVersion(theirs)) } : { theirs, refusal };
  }
}

/** Return the version that someone else stored, if that is why the save was refused. */
async function changedMeanwhile<S extends object | null>(
  refusal: unknown,
  { reload, base }: { reload: (() => Promise<S>) | undefined; base: string | null },
): Promise<S | undefined> {
  if (!reload || !(refusal instanceof ApiError) || (refusal.status !== 409 && refusal.status !== 404)) return undefined;
  const now = await reload().catch(() => undefined);
  return now === undefined || storedVersion(now) === base ? undefined : now;
}

/** Null: nothing is stored. */
const storedVersion = (stored: object | null): string | null => stored && ifMatchOf(stored);

/** A draft is plain data, never a function, so a function is an updater. */
function isUpdater<D>(next: SetStateAction<D>): next is (former: D) => D {
  return typeof next === 'function';
}

interface DraftStorageOptions {
  readonly operatorId: number;
  readonly draftKey: string;
  readonly what: string;
  readonly base: string | null;
  /** The serialized draft as JSON. */
  readonly json: string;
  readonly changed: boolean;
}

/** Keep a draft in the browser while it differs from the stored version. Null: there is nothing to keep. */
function useDraftStorage(
  options: DraftStorageOptions | null,
  isPaused: boolean,
): { isStored: () => boolean; forget: () => void } {
  const { operatorId = 0, draftKey = null, what = '', base = null, json = '', changed = false } = options ?? {};
  const isStored = useRef(false);
  /**
   * Key of the draft that was just saved or discarded. Its text may still be on the page but must not be stored again.
   */
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

/** Keep a text in the browser while it is typed, and restore it without a notice. For a message about to be sent. */
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

/** Return the draft after a save: the stored version, or what was typed since the draft was submitted. */
export function rebaseDraft<D>(
  { typed, submitted, stored }: { typed: D; submitted: D; stored: D },
  compared: (draft: D) => unknown,
): D {
  return isDeepEqual(compared(typed), compared(submitted)) ? stored : typed;
}

/**
 * Call `onReload` when the row was reloaded and differs, once no unsaved input would be lost. During a save, even what
 * equals the former version is input: a change that was undone at once.
 */
function useReloadedRow<S>(
  loaded: S,
  { stored, isBusy }: { stored: S; isBusy: () => boolean },
  onReload: (now: S) => void,
): void {
  const lastLoaded = useRef(loaded);
  useEffect(() => {
    if (loaded === lastLoaded.current || isBusy()) return;
    lastLoaded.current = loaded;
    if (!isDeepEqual(loaded, stored) && !isOlder(loaded, stored)) onReload(loaded);
  });
}

/**
 * Whether a row is an older version of the same row: it was read before a save, and its page shows it only after the save.
 */
export function isOlder(row: unknown, than: unknown): boolean {
  if (typeof row !== 'object' || typeof than !== 'object' || row === null || than === null) return false;
  const [version, other] = [versionOf(row), versionOf(than)];
  return version !== null && other !== null && version < other && Reflect.get(row, 'id') === Reflect.get(than, 'id');
}
