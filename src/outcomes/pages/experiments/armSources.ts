/** What the arms of an experiment can be chosen from, by name. */
import { documentPrompts, preparedMessages, prompts } from '../../../prompts/contract.ts';
import { promptLabel } from '../../../prompts/pages/shared/liveState.tsx';
import { type OptionSource, optionSource } from '../../../ui/optionSource.ts';

export const preparedSource = (productId: number): OptionSource =>
  optionSource({
    resource: preparedMessages,
    labelOf: (message) => message.name,
    query: { product_id: [productId], type: ['initial'] },
  });

export const documentSource = (productId: number): OptionSource =>
  optionSource({ resource: documentPrompts, labelOf: (one) => one.name, query: { product_id: [productId] } });

/** Chatbot prompts, in use or not. */
export const promptSource = (productId: number): OptionSource =>
  optionSource({
    resource: prompts,
    labelOf: promptLabel,
    query: { product_id: [productId], type: ['prompt'] },
  });
