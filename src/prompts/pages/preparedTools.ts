/** What the assistant may do where a prepared message is edited. */
import { z } from 'zod';
import { call, tagOf } from '../../kit/api.ts';
import { fillTool } from '../../kit/fillTool.ts';
import type { FormValues } from '../../kit/form.ts';
import { type PageContext, type Undo, Undoable } from '../../kit/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { textTool } from '../../kit/textTool.ts';
import { type Draft, type InView, storedUndo, unlessGone, viewsById } from '../../kit/undo.ts';
import { type PreparedMessage, preparedMessages } from '../contract.ts';

interface PreparedInView extends Draft<string> {
  readonly changed: boolean;
  readonly took: (now: PreparedMessage) => void;
  readonly gone: () => void;
}

/** By the message's id; 0: a new one. */
export const preparedView = viewsById<PreparedInView>();

const fields = preparedMessages.create.body.shape;
/** What of a prepared message is filled in besides its text. */
export const PREPARED_FIELDS = z.strictObject({
  name: fields.name.optional(),
  type: fields.type.unwrap().optional(),
  is_follow_up: fields.is_follow_up.unwrap().optional(),
});

/** The fields of the form, by the message's id; 0: a new one. */
export const preparedForm = viewsById<Draft<FormValues>>();

interface Editing {
  readonly view: InView<PreparedInView>;
  readonly form: InView<Draft<FormValues>>;
  /** As it is stored; null: a new one. */
  readonly saved: PreparedMessage | null;
  readonly changed: boolean;
  /** Saves what stands on the page; throws why it cannot be. */
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
    textTool({
      name: 'edit_message',
      description: t('Puts a new text of the prepared message into the form. It is not saved by that.'),
      view,
    }),
    fillTool({
      name: 'fill_in_prepared_message',
      description: t('Puts name, type or follow-up into the form; what is left out stays. It is not saved by that.'),
      input: PREPARED_FIELDS,
      view: form,
    }),
    pageTool({
      name: 'save_message',
      description: t('Saves the prepared message as it stands on the page.'),
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

/** Puts back what was before; null: the message was created. */
function undoOf(before: PreparedMessage | null, left: PreparedMessage): Undo {
  const params = { id: left.id };
  const undo = storedUndo<PreparedMessage | null>({
    left,
    read: () => unlessGone(call(preparedMessages.get, { params })),
    putBack: async () => {
      if (before === null) {
        await call(preparedMessages.remove, { params });
        preparedView(left.id).now?.gone();
        return;
      }
      const { id: _id, created_at: _at, ...body } = before;
      const now = await call(preparedMessages.replace, { params, body, ifMatch: tagOf(left) });
      preparedView(left.id).now?.took(now);
    },
  });
  return { ...undo, unchanged: async () => preparedView(left.id).now?.changed !== true && (await undo.unchanged()) };
}
