/** The assistant's tool for pages that edit a text. Its proposal is shown as a diff and stays unsaved in the editor. */
import { z } from 'zod';
import { t } from './i18n.ts';
import { pageTool, type ToolWithHandler } from './pageTool.ts';
import { changeDraft, type Draft, type ViewRef } from './undo.ts';

/** Instructions for the assistant on pages that edit a prompt. */
export const MINIMAL_EDITS_PROMPT =
  'When the operator asks for a change of the text, discuss it first, and call the editing tool only after the operator has explicitly approved the change. ' +
  'Propose only minimal edits: at most 5 to 10 changed lines. Give the whole text, with every other line exactly as it is in the editor, variables and blank lines included. ' +
  'Do not save unless the operator asks for it.';

interface EditTextTool {
  readonly name: string;
  readonly description: string;
  /** The text in the editor. */
  readonly view: ViewRef<Draft<string>>;
}

export function editTextTool({ name, description, view }: EditTextTool): ToolWithHandler {
  return pageTool({
    name,
    description,
    input: z.strictObject({ text: z.string().min(1).describe(t('The whole new text')) }),
    confirm: true,
    diff: ({ text }) => ({ before: view.current?.value ?? '', after: text }),
    run: async ({ text }) => changeDraft(view, text, { status: 'in the editor, not saved' }),
  });
}
