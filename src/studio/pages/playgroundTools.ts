/** Assistant tools of the playground, besides editing the prompt. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';

/** @param choose throws the reason if another prompt cannot be opened. */
export function choosePromptTool(choose: (id: number) => Promise<unknown>): ToolWithHandler {
  return pageTool({
    name: 'choose_prompt',
    description: t('Opens another prompt of the product in the editor, by its id.'),
    input: z.strictObject({ id: uncheckedId }),
    run: async ({ id }) => {
      await choose(id);
      return { status: 'opened' };
    },
  });
}

/** @param ask throws the reason if nothing can be sent. */
export function askTool(ask: (text: string) => void): ToolWithHandler {
  return pageTool({
    name: 'ask_models',
    description: t(
      'Writes something, as a lead would, to the models on the page; they answer with the prompt in the editor.',
    ),
    input: z.strictObject({ text: z.string().trim().min(1).max(20_000) }),
    confirm: true,
    irreversible: t('Answers of models cost money.'),
    run: async ({ text }) => {
      ask(text);
      return { status: 'asked' };
    },
  });
}
