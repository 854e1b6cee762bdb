/** The text being written to a lead, kept per operator and dialogue until it is sent. */
import { useKeptText } from '../../../kit/edited.tsx';
import { t } from '../../../kit/t.ts';
import { type Draft, useInView, viewsById } from '../../../kit/undo.ts';

/** The text in the composer of a dialogue. */
export const draftView = viewsById<Draft<string>>();

export function useComposed(dialogueId: number, leadName: string): [string, (text: string) => void] {
  const [text, change] = useKeptText({
    place: `dialogue/${dialogueId}`,
    what: t('Message to {{name}}', { name: leadName }),
  });
  useInView(draftView(dialogueId), { value: text, put: change });
  return [text, change];
}
