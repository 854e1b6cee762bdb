/** The tool of a page that fills in some fields of its form; nothing is saved by that. */
import type { z } from 'zod';
import type { FormValues } from './form.ts';
import { pageTool, type ToolOfPage } from './pageTool.ts';
import { t } from './t.ts';
import { changeDraft, type Draft, type InView, useInView } from './undo.ts';
import type { FormState } from './useForm.ts';

interface FillTool {
  readonly name: string;
  readonly description: string;
  /** By the names of the form's fields, each of which may be left out. */
  readonly input: z.ZodObject;
  readonly view: InView<Draft<FormValues>>;
}

export function fillTool({ name, description, input, view }: FillTool): ToolOfPage {
  return pageTool({
    name,
    description,
    input,
    confirm: true,
    run: async (given) => {
      const filled = Object.entries(given).filter(([, value]) => value !== undefined);
      if (filled.length === 0) throw new Error(t('Nothing has changed.'));
      const next = { ...view.now?.value, ...Object.fromEntries(filled) };
      return changeDraft(view, next, { status: 'in the form, not saved' });
    },
  });
}

/** Keeps `view` at those fields of the form that `input` names. */
export function useFormInView(view: InView<Draft<FormValues>>, form: FormState, input: z.ZodObject): void {
  useInView(view, {
    value: Object.fromEntries(Object.keys(input.shape).map((name) => [name, form.values[name]])),
    put: (next) => {
      for (const [name, value] of Object.entries(next)) form.set(name, value);
    },
  });
}
