/** What the assistant may do where a prepared message is edited. */
import { call } from '../../kit/api.ts';
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

interface Editing {
  readonly view: InView<PreparedInView>;
  /** As it is stored; null: a new one. */
  readonly saved: PreparedMessage | null;
  readonly changed: boolean;
  /** Saves what stands on the page; throws why it cannot be. */
  readonly save: () => Promise<PreparedMessage>;
}

export function preparedTools({
  view,
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
      const now = await call(preparedMessages.replace, { params, body });
      preparedView(left.id).now?.took(now);
    },
  });
  return { ...undo, unchanged: async () => preparedView(left.id).now?.changed !== true && (await undo.unchanged()) };
}
