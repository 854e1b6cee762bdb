/** What the assistant may do where a prompt is edited. */
import { z } from 'zod';
import { call, tagOf } from '../../kit/api.ts';
import { fillTool } from '../../kit/fillTool.ts';
import type { FormValues } from '../../kit/form.ts';
import { Undoable } from '../../kit/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { textTool } from '../../kit/textTool.ts';
import { type Draft, type InView, storedUndo, unlessGone, viewsById } from '../../kit/undo.ts';
import { type Prompt, prompts } from '../contract.ts';

/** The text of a prompt in an editor. */
export interface PromptInView extends Draft<string> {
  /** Something on the page would be lost. */
  readonly changed: boolean;
  readonly took: (now: Prompt) => void;
  /** The prompt is not there any more. */
  readonly gone: () => void;
}

/** By the prompt's id; 0: a new one. */
export const promptView = viewsById<PromptInView>();

const fields = prompts.create.body.shape;
/** What of a prompt is filled in besides its text. */
export const PROMPT_FIELDS = z.strictObject({
  name: fields.name.optional(),
  type: fields.type.unwrap().optional(),
  rag_description: fields.rag_description
    .unwrap()
    .optional()
    .describe(t('What the model reads to decide whether it wants this text.')),
});

/** The fields of the editor, by the prompt's id; 0: a new one. */
export const promptForm = viewsById<Draft<FormValues>>();

/** Of the page of one prompt, where its other fields stand too. */
export function promptFieldsTool(view: InView<Draft<FormValues>>): ToolOfPage {
  return fillTool({
    name: 'fill_in_prompt',
    description: t(
      'Puts name, type or description of the prompt into the form; what is left out stays. It is not saved by that.',
    ),
    input: PROMPT_FIELDS,
    view,
  });
}

interface Editing {
  readonly view: InView<PromptInView>;
  /** As it is stored; null: a new one. */
  readonly saved: Prompt | null;
  readonly changed: boolean;
  /** What saving changes about which prompts are in use; null: nothing. Shown before it is confirmed. */
  readonly replacing: string | null;
  /** Saves what stands on the page; throws why it cannot be. */
  readonly save: () => Promise<Prompt>;
}

export function promptTools({ view, saved, changed, replacing, save }: Editing): ToolOfPage[] {
  return [
    textTool({
      name: 'edit_prompt',
      description: t('Puts a new text of the prompt into the editor. It is not saved by that.'),
      view,
    }),
    pageTool({
      name: 'save_prompt',
      description: [t('Saves the prompt as it stands on the page.'), replacing].filter(Boolean).join(' '),
      input: NO_ARGUMENTS,
      confirm: true,
      run: async () => {
        if (!changed) throw new Error(t('Nothing has changed.'));
        const now = await save();
        const undo = saved === null ? undoCreation(now) : undoSave(saved, now);
        return new Undoable({ status: 'saved', id: now.id, version: now.version }, undo);
      },
    }),
  ];
}

/** Only while nothing else is typed in its editor. */
const calm = (id: number): boolean => promptView(id).now?.changed !== true;

function undoCreation(made: Prompt) {
  const params = { id: made.id };
  const undo = storedUndo<Prompt | null>({
    left: made,
    read: () => unlessGone(call(prompts.get, { params })),
    putBack: async () => {
      await call(prompts.remove, { params });
      promptView(made.id).now?.gone();
    },
  });
  return { ...undo, unchanged: async () => calm(made.id) && (await undo.unchanged()) };
}

function undoSave({ id, name, type, text, group_id, rag_description }: Prompt, left: Prompt) {
  const params = { id };
  const undo = storedUndo<Prompt | null>({
    left,
    read: () => unlessGone(call(prompts.get, { params })),
    putBack: async () => {
      const body = { name, type, text, group_id, rag_description };
      const now = await call(prompts.change, { params, body, ifMatch: tagOf(left) });
      promptView(id).now?.took(now);
    },
  });
  return { ...undo, unchanged: async () => calm(id) && (await undo.unchanged()) };
}
