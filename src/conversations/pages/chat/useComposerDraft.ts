/** The unsent text to a lead, kept per operator and dialogue until it is sent. */

import { t } from '../../../ui/i18n.ts';
import { type Draft, useViewRef, viewRefsById } from '../../../ui/undo.ts';
import { usePersistedText } from '../../../ui/useDraft.tsx';

/** The text in the composer of a dialogue. */
export const composerDraftView = viewRefsById<Draft<string>>();

export function useComposerDraft(dialogueId: number, leadName: string): [string, (text: string) => void] {
  const [text, change] = usePersistedText({
    draftKey: `dialogue/${dialogueId}`,
    what: t('Message to {{name}}', { name: leadName }),
  });
  useViewRef(composerDraftView(dialogueId), { value: text, set: change });
  return [text, change];
}
