/** The assistant's tools for editing a prepared message. */
import { z } from 'zod';
import { call, ifMatchOf } from '../../ui/api.ts';
import { editTextTool } from '../../ui/editTextTool.ts';
import { fillFormTool } from '../../ui/fillFormTool.ts';
import type { FormValues } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { type PageContext, type Undo, Undoable } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { type Draft, nullIfNotFound, storedUndo, type ViewRef, viewRefsById } from '../../ui/undo.ts';
import { type PreparedMessage, preparedMessages } from '../contract.ts';

interface PreparedInView extends Draft<string> {
  readonly changed: boolean;
  readonly onSaved: (now: PreparedMessage) => void;
  readonly onDeleted: () => void;
}

/** The open editor by message id; 0: a new message. */
export const preparedView = viewRefsById<PreparedInView>();

const fields = preparedMessages.create.body.shape;
/** Fields of a prepared message besides its text. */
export const PREPARED_FIELDS = z.strictObject({
  name: fields.name.optional(),
  type: fields.type.unwrap().optional(),
  is_follow_up: fields.is_follow_up.unwrap().optional(),
});

/** The form's fields by message id; 0: a new message. */
export const preparedForm = viewRefsById<Draft<FormValues>>();

interface Editing {
  readonly view: ViewRef<PreparedInView>;
  readonly form: ViewRef<Draft<FormValues>>;
  /** The stored message; null: a new one. */
  readonly saved: PreparedMessage | null;
  readonly changed: boolean;
  /** Saves what is on the page. Throws the reason if it cannot be saved. */
  readonly save: () => Promise<PreparedMessage>;
}

export function preparedTools({
  view,
  form,
  saved,
  changed,
  save,
}: Editing): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return pageTools(
    editTextTool({
      name: 'edit_message',
      description: t('Replaces the text of the prepared message in the form. Does not save.'),
      view,
    }),
    fillFormTool({
      name: 'fill_in_prepared_message',
      description: t('Changes name, type or follow-up in the form; omitted fields keep their values. Does not save.'),
      input: PREPARED_FIELDS,
      view: form,
    }),
    pageTool({
      name: 'save_message',
      description: t('Saves the prepared message on the page.'),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (!changed) throw new Error(t('Nothing has changed.'));
        const now = await save();
        return new Undoable({ status: 'saved', id: now.id }, undoOf(saved, now));
      },
    }),
  );
}

/** Create the undo of a save. `before` null: the message was created, so undo deletes it. */
function undoOf(before: PreparedMessage | null, after: PreparedMessage): Undo {
  const params = { id: after.id };
  const undo = storedUndo<PreparedMessage | null>({
    after,
    read: () => nullIfNotFound(call(preparedMessages.get, { params })),
    restore: async () => {
      if (before === null) {
        await call(preparedMessages.remove, { params });
        preparedView(after.id).current?.onDeleted();
        return;
      }
      const { id: _id, created_at: _at, ...body } = before;
      const now = await call(preparedMessages.replace, { params, body, ifMatch: ifMatchOf(after) });
      preparedView(after.id).current?.onSaved(now);
    },
  });
  return {
    ...undo,
    unchanged: async () => preparedView(after.id).current?.changed !== true && (await undo.unchanged()),
  };
}
