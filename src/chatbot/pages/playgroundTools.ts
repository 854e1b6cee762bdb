/** What the assistant may do in the playground besides editing the prompt. */
import { z } from 'zod';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { plainId } from '../../platform/contract.ts';

/** @param choose throws why another prompt cannot be opened. */
export function choosePromptTool(choose: (id: number) => void): ToolOfPage {
  return pageTool({
    name: 'choose_prompt',
    description: t('Opens another prompt of the product in the editor, by its id.'),
    input: z.strictObject({ id: plainId }),
    run: async ({ id }) => {
      choose(id);
      return { status: 'opened' };
    },
  });
}

/** @param ask throws why nothing can be asked. */
export function askTool(ask: (text: string) => void): ToolOfPage {
  return pageTool({
    name: 'ask_models',
    description: t(
      'Says something, as a lead would, to the models in view; they answer under the prompt as it stands.',
    ),
    input: z.strictObject({ text: z.string().trim().min(1).max(20_000) }),
    confirm: true,
    irreversible: t('What a model answers is paid for.'),
    run: async ({ text }) => {
      ask(text);
      return { status: 'asked' };
    },
  });
}
