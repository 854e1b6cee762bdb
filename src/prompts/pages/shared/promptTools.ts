/** The assistant's tools for editing a prompt. */
import { z } from 'zod';
import { call, ifMatchOf } from '../../../ui/api.ts';
import { editTextTool } from '../../../ui/editTextTool.ts';
import { fillFormTool } from '../../../ui/fillFormTool.ts';
import type { FormValues } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { type Draft, nullIfNotFound, storedUndo, type ViewRef, viewRefsById } from '../../../ui/undo.ts';
import { type Prompt, prompts } from '../../contract.ts';

/** The text of a prompt in an open editor. */
export interface PromptInView extends Draft<string> {
  /** The page has unsaved changes. */
  readonly changed: boolean;
  readonly onSaved: (now: Prompt) => void;
  /** Called when the prompt was deleted. */
  readonly onDeleted: () => void;
}

/** The open editor by prompt id; 0: a new prompt. */
export const promptView = viewRefsById<PromptInView>();

const fields = prompts.create.body.shape;
/** Fields of a prompt besides its text. */
export const PROMPT_FIELDS = z.strictObject({
  name: fields.name.optional(),
  type: fields.type.unwrap().optional(),
  rag_description: fields.rag_description
    .unwrap()
    .optional()
    .describe(t('The model reads this to decide whether it needs the text.')),
});

/** The editor's fields by prompt id; 0: a new prompt. */
export const promptForm = viewRefsById<Draft<FormValues>>();

/** Create the tool for the page of one prompt, which also edits its other fields. */
export function promptFieldsTool(view: ViewRef<Draft<FormValues>>): ToolWithHandler {
  return fillFormTool({
    name: 'fill_in_prompt',
    description: t(
      'Changes name, type or description of the prompt in the form; omitted fields keep their values. Does not save.',
    ),
    input: PROMPT_FIELDS,
    view,
  });
}

interface Editing {
  readonly view: ViewRef<PromptInView>;
  /** The stored prompt; null: a new one. */
  readonly saved: Prompt | null;
  readonly changed: boolean;
  /** Whether saving keeps a draft, which leads do not get until it is published. */
  readonly savesDraft: boolean;
  /** How saving changes which prompts are active, shown before the confirmation; null if it does not. */
  readonly replacing: string | null;
  /** Saves what is on the page. Throws the reason if it cannot be saved. */
  readonly save: () => Promise<Prompt>;
}

export function promptTools({ view, saved, changed, savesDraft, replacing, save }: Editing): ToolWithHandler[] {
  return [
    editTextTool({
      name: 'edit_prompt',
      description: t('Replaces the text of the prompt in the editor. Does not save.'),
      view,
    }),
    pageTool({
      name: 'save_prompt',
      description: [
        t('Saves the prompt on the page.'),
        savesDraft
          ? t('It is saved as a draft: leads get what is live until it is published.')
          : t('The saved text is live at once.'),
        replacing,
      ]
        .filter(Boolean)
        .join(' '),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (!changed) throw new Error(t('Nothing has changed.'));
        const now = await save();
        const undo = saved === null ? undoCreation(now) : undoSave(saved, now);
        const status = now.live_version === now.version ? 'saved' : 'saved as a draft';
        const { id, version, live_version } = now;
        return new Undoable({ status, id, version, live_version }, undo);
      },
    }),
  ];
}

/** Undo is allowed only while its editor has no unsaved changes. */
const hasNoUnsavedText = (id: number): boolean => promptView(id).current?.changed !== true;

function undoCreation(created: Prompt) {
  const params = { id: created.id };
  const undo = storedUndo<Prompt | null>({
    after: created,
    read: () => nullIfNotFound(call(prompts.get, { params })),
    restore: async () => {
      await call(prompts.remove, { params });
      promptView(created.id).current?.onDeleted();
    },
  });
  return { ...undo, unchanged: async () => hasNoUnsavedText(created.id) && (await undo.unchanged()) };
}

function undoSave({ id, name, type, text, group_id, rag_description }: Prompt, after: Prompt) {
  const params = { id };
  const undo = storedUndo<Prompt | null>({
    after,
    read: () => nullIfNotFound(call(prompts.get, { params })),
    restore: async () => {
      const body = { name, type, text, group_id, rag_description };
      const now = await call(prompts.change, { params, body, ifMatch: ifMatchOf(after) });
      promptView(id).current?.onSaved(now);
    },
  });
  return { ...undo, unchanged: async () => hasNoUnsavedText(id) && (await undo.unchanged()) };
}
