import { addNote, listNotes, type Note } from '../../../desk/contract.ts';
import type { AnswerOf } from '../../../platform/contract.ts';
import { keyOf, queryClient, useCall } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';

/** Return the function that stores a note, and calls `onAdded` then. */
export function useAddNote(dialogueId: number): {
  add: (text: string, onAdded: () => void) => void;
  isAdding: boolean;
} {
  const { mutate, isPending } = useCall(addNote);
  const params = { id: dialogueId };
  return {
    isAdding: isPending,
    add: (text, onAdded) => {
      if (isPending) return;
      mutate(
        { params, body: { text } },
        {
          onSuccess: (note) => {
            onAdded();
            storeNote(note);
          },
          onError: toast.failure,
        },
      );
    },
  };
}

/** Show a note before the server's list has it. */
function storeNote(note: Note): void {
  const key = keyOf(listNotes, { params: { id: note.dialogue_id } });
  queryClient.setQueryData<AnswerOf<typeof listNotes>>(key, (notes) =>
    notes && !notes.items.some(({ id }) => id === note.id) ? { items: [...notes.items, note] } : notes,
  );
}
