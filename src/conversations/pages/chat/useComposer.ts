/** What the composer holds and does: the draft of a reply or a note, its keys, and sending. */
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useViewRef } from '../../../ui/undo.ts';
import type { DialogueView } from '../../contract.ts';
import { appendSuggestion } from '../handOverTools.ts';
import type { ChosenText } from './PreparedPicker.tsx';
import { useAddNote } from './useAddNote.ts';
import { replyDraftView, useComposerDraft, useDraftRun, useNoteDraft } from './useComposerDraft.ts';

/** A message as submitted by the composer. */
export interface ComposedMessage {
  text: string;
  /** ISO-8601; null: at once. */
  sendNotBefore: string | null;
  scheduleEnabled: boolean;
  /** The bot keeps the dialogue. */
  keepBot: boolean;
  /** The run of the suggested reply that the text began as. */
  draftRunId: number | null;
  /** The prepared message that the text is. */
  preparedMessageId: number | null;
}

interface ComposerOptions {
  input: RefObject<HTMLTextAreaElement | null>;
  onSend: (outgoing: ComposedMessage) => void;
  onSendNext: ((outgoing: ComposedMessage) => void) | null;
}

export function useComposer(view: DialogueView, { input, onSend, onSendNext }: ComposerOptions) {
  const { dialogue, lead } = view;
  const [isNote, setNote] = useState(false);
  const [isScheduling, setScheduling] = useState(false);
  const draft = useReplyDraft(view);
  const note = useNote(dialogue.id, lead.name);
  const { text, setText } = isNote ? note : draft;

  const submit = (when: Partial<ComposedMessage>, deliver = onSend) => {
    deliver({ ...draft.composed(), ...when });
    draft.setText('');
    input.current?.focus();
  };
  const sendNow = (how: { next?: boolean; keepBot?: boolean } = {}) => {
    if (text.trim() === '') return;
    if (isNote) return note.add();
    submit({ keepBot: how.keepBot ?? false }, how.next ? (onSendNext ?? onSend) : onSend);
  };
  const onKey = (event: KeyboardEvent) => {
    // Keep the draft and leave the field, so that the page's keyboard shortcuts work again.
    if (event.key === 'Escape') return input.current?.blur();
    if (event.key !== 'Enter') return;
    const next = event.shiftKey && (event.ctrlKey || event.metaKey);
    if (event.shiftKey && !next) return;
    event.preventDefault();
    sendNow({ next });
  };
  return {
    isNote,
    setNote: (now: boolean) => {
      setNote(now);
      input.current?.focus();
    },
    isScheduling,
    setScheduling,
    draft,
    note,
    text,
    setText,
    submit,
    sendNow,
    onKey,
    offerPrepared: () => {
      draft.setText('/');
      input.current?.focus();
    },
  };
}

/** The unsent message, and what it began as: a suggested reply or a prepared message. */
function useReplyDraft({ dialogue, lead }: DialogueView) {
  const [text, change] = useComposerDraft(dialogue.id, lead.name);
  const [runId, setRunId] = useDraftRun(`dialogue/${dialogue.id}`, dialogue.id);
  const [prepared, setPrepared] = useState<ChosenText | null>(null);
  const setSuggested = (next: { readonly text: string; readonly runId: number | null }) => {
    change(next.text);
    setRunId(next.runId);
  };
  useViewRef(replyDraftView(dialogue.id), { value: { text, runId }, set: setSuggested });
  const setText = (next: string) => {
    change(next);
    if (next === '' && runId !== null) setRunId(null);
  };
  return {
    text,
    setText,
    isSuggested: runId !== null && text !== '',
    choose: (chosen: ChosenText) => {
      setPrepared(chosen);
      change(chosen.text);
    },
    insertSuggestion: (suggested: string, suggestedBy: number | null) =>
      setSuggested({ text: appendSuggestion(text, suggested), runId: suggestedBy }),
    composed: (): ComposedMessage => ({
      text,
      sendNotBefore: null,
      scheduleEnabled: false,
      keepBot: false,
      draftRunId: runId,
      preparedMessageId: prepared?.text === text ? prepared.preparedMessageId : null,
    }),
  };
}

function useNote(dialogueId: number, leadName: string) {
  const [text, setText] = useNoteDraft(dialogueId, leadName);
  const { add, isAdding } = useAddNote(dialogueId);
  return { text, setText, isAdding, add: () => add(text, () => setText('')) };
}
