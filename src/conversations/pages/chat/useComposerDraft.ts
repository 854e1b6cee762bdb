/** The unsent text to a lead, kept per operator and dialogue until it is sent. */
import { useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useScope } from '../../../ui/scope.ts';
import { type Draft, useViewRef, viewRefsById } from '../../../ui/undo.ts';
import { usePersistedText } from '../../../ui/useDraft.tsx';

/** The text in the composer of a dialogue. */
export const composerDraftView = viewRefsById<Draft<string>>();

/** The text in the composer of a dialogue, with the run of the suggested reply that it began as. */
export const replyDraftView = viewRefsById<Draft<{ readonly text: string; readonly runId: number | null }>>();

export function useComposerDraft(dialogueId: number, leadName: string): [string, (text: string) => void] {
  const [text, change] = usePersistedText({
    draftKey: `dialogue/${dialogueId}`,
    what: t('Message to {{name}}', { name: leadName }),
  });
  useViewRef(composerDraftView(dialogueId), { value: text, set: change });
  return [text, change];
}

/** The unsent note about a lead. */
export function useNoteDraft(dialogueId: number, leadName: string): [string, (text: string) => void] {
  return usePersistedText({
    draftKey: `note/${dialogueId}`,
    what: t('Note about {{name}}', { name: leadName }),
  });
}

/**
 * The run of the suggested reply that the unsent text of a draft began as; kept while the tab is open. In another
 * dialogue than the one that it was suggested for, the text began as nothing.
 */
export function useDraftRun(
  draftKey: string,
  dialogueId: number | null,
): [number | null, (runId: number | null) => void] {
  const { operator } = useScope();
  const key = `rapport.draft-run.${operator.id}.${draftKey}`;
  const [run, setRun] = useState(() => readRun(key));
  const change = (runId: number | null) => {
    const next = runId === null || dialogueId === null ? null : { runId, dialogueId };
    setRun(next);
    try {
      if (next === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, `${next.runId} ${next.dialogueId}`);
    } catch {
      // Without storage it lasts as long as the page.
    }
  };
  return [run !== null && run.dialogueId === dialogueId ? run.runId : null, change];
}

interface DraftRun {
  readonly runId: number;
  readonly dialogueId: number;
}

/** Stored as both ids, in this order. */
function readRun(key: string): DraftRun | null {
  try {
    const [runId = 0, dialogueId = 0] = (sessionStorage.getItem(key) ?? '').split(' ').map(Number);
    return runId > 0 && dialogueId > 0 ? { runId, dialogueId } : null;
  } catch {
    return null;
  }
}
