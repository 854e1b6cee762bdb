import { type PromptType, prompts } from '../../../prompts/contract.ts';
import { type OptionSource, optionSource } from '../../../ui/optionSource.ts';

/** Prompts that the studio can try, by name. Default: those that answer leads and those that detect stages. */
export const promptSource = (
  productId: number,
  types: readonly PromptType[] = ['prompt', 'classification'],
): OptionSource =>
  optionSource({
    resource: prompts,
    labelOf: (prompt) => prompt.name,
    query: { product_id: [productId], type: [...types] },
  });
