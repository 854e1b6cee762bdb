/** What is stored and edited on a page: the draft on the screen, what it began from, and the ways between the two. */
import { useEffect, useRef, useState } from 'react';
import { sameValue } from './undo.ts';

/** The draft once `stored` is there: that, unless something was typed since the page showed `shown`. What was stays. */
export function draftAfter<D>({ typed, shown, stored }: { typed: D; shown: D; stored: D }, plain: Plain<D>): D {
  return sameValue(plain(typed), plain(shown)) ? stored : typed;
}

/** A draft without what only the page needs of it. */
type Plain<D> = (draft: D) => unknown;

const whole = (draft: unknown): unknown => draft;

/**
 * Edits what was `found`. A row that changes under the page is followed while nothing is typed there.
 *
 * `took` puts what is stored now into the place of what was. Whoever asks for a save calls the one that he had when he
 * asked: what was typed after that stays on the page, and stays unsaved.
 */
export function useEdited<S, D>(found: S, draftOf: (stored: S) => D, plain: Plain<D> = whole) {
  const [stored, setStored] = useState(found);
  const [draft, setDraft] = useState(() => draftOf(found));
  /** Something on the screen would be lost. */
  const changed = !sameValue(plain(draft), plain(draftOf(stored)));
  const took = (now: S) => {
    setStored(now);
    setDraft((typed) => draftAfter({ typed, shown: draft, stored: draftOf(now) }, plain));
  };
  useFollow(found, { stored, changed }, took);
  return { stored, draft, changed, setDraft, took, restore: () => setDraft(draftOf(stored)) };
}

/** Calls `follow` with a row that was read anew and differs, as soon as nothing typed would be lost by that. */
export function useFollow<S>(
  found: S,
  { stored, changed }: { stored: S; changed: boolean },
  follow: (now: S) => void,
): void {
  const seen = useRef(found);
  useEffect(() => {
    if (changed || found === seen.current) return;
    seen.current = found;
    if (!sameValue(found, stored)) follow(found);
  });
}
