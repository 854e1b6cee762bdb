/** The assistant's tool for filling in fields of a page's form. It saves nothing. */
import type { z } from 'zod';
import type { FormValues } from './form.ts';
import { t } from './i18n.ts';
import { pageTool, type ToolWithHandler } from './pageTool.ts';
import { changeDraft, type Draft, useViewRef, type ViewRef } from './undo.ts';
import type { FormState } from './useForm.ts';

interface FillFormTool {
  readonly name: string;
  readonly description: string;
  /** Arguments named after the form's fields. Each of them is optional. */
  readonly input: z.ZodObject;
  readonly view: ViewRef<Draft<FormValues>>;
}

export function fillFormTool({ name, description, input, view }: FillFormTool): ToolWithHandler {
  return pageTool({
    name,
    description,
    input,
    confirm: true,
    run: async (args) => {
      const filled = Object.entries(args).filter(([, value]) => value !== undefined);
      if (filled.length === 0) throw new Error(t('Nothing has changed.'));
      const next = { ...view.current?.value, ...Object.fromEntries(filled) };
      return changeDraft(view, next, { status: 'in the form, not saved' });
    },
  });
}

/** Keep `view` in sync with the form fields that `input` names. */
export function useFormViewRef(view: ViewRef<Draft<FormValues>>, form: FormState, input: z.ZodObject): void {
  useViewRef(view, {
    value: Object.fromEntries(Object.keys(input.shape).map((name) => [name, form.values[name]])),
    set: (next) => {
      for (const [name, value] of Object.entries(next)) form.set(name, value);
    },
  });
}
