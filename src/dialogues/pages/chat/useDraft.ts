/** The text being written, kept per operator and dialogue until it is sent. */
import { useState } from 'react';
import { type Draft, useInView, viewsById } from '../../../kit/undo.ts';

/** The text in the composer of a dialogue. */
export const draftView = viewsById<Draft<string>>();

export function useDraft(operatorId: number, dialogueId: number): [string, (text: string) => void] {
  const key = `rapport.draft.${operatorId}.${dialogueId}`;
  const [text, setText] = useState(() => read(key));
  const change = (next: string) => {
    setText(next);
    try {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
    } catch {
      // Without storage the draft lives as long as the page does.
    }
  };
  useInView(draftView(dialogueId), { value: text, put: change });
  return [text, change];
}

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
