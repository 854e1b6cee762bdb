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

/** The run of the suggested reply that the unsent text began as; kept while the tab is open. */
export function useDraftRun(dialogueId: number): [number | null, (runId: number | null) => void] {
  const { operator } = useScope();
  const key = `rapport.draft-run.${operator.id}.${dialogueId}`;
  const [runId, setRunId] = useState(() => readRunId(key));
  const change = (next: number | null) => {
    setRunId(next);
    try {
      if (next === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, String(next));
    } catch {
      // Without storage it lasts as long as the page.
    }
  };
  return [runId, change];
}

function readRunId(key: string): number | null {
  try {
    return Number(sessionStorage.getItem(key)) || null;
  } catch {
    return null;
  }
}
