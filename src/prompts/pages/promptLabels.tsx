/** Display names of prompt and prepared message types, and which attempts are counted as theirs. */
import type { CountedText } from '../../outcomes/pages/shared/results.ts';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../ui/optionSource.ts';
import {
  type PreparedMessage,
  type Prompt,
  type PromptType,
  preparedTypes,
  promptGroups,
  prompts,
  promptTypes,
} from '../contract.ts';
import { promptLabel } from './shared/liveState.tsx';

const TYPE_NAMES: Readonly<Record<PromptType, string>> = {
  prompt: 'Chatbot',
  classification: 'Classification',
  qualification: 'Qualification',
  document: 'Document',
  ping: 'Ping',
  subprompt: 'Subprompt',
  refusal_qualification: 'Refusal qualification',
};

export const promptTypeLabel = (type: PromptType): string => t(TYPE_NAMES[type]);

export const promptTypeOptions = (): Option[] =>
  promptTypes.map((type) => ({ value: type, label: promptTypeLabel(type) }));

export const preparedTypeLabel = (type: (typeof preparedTypes)[number]): string =>
  type === 'initial' ? t('First message') : t('Ping');

export const preparedTypeOptions = (): Option[] =>
  preparedTypes.map((type) => ({ value: type, label: preparedTypeLabel(type) }));

/** The groups of a product, by name. */
export const groupsOf = (productId: number): OptionSource =>
  optionSource({ resource: promptGroups, labelOf: (group) => group.name, query: { product_id: [productId] } });

/** The prompts of a product and type, by name. */
export const promptsOf = (productId: number, type: PromptType): OptionSource =>
  optionSource({
    resource: prompts,
    labelOf: promptLabel,
    query: { product_id: [productId], type: [type] },
    failureText: t('Failed to load prompts for product'),
  });

/** Return the attempts that count as a prompt's; null for prompts that neither answer nor write first messages. */
export function countedPrompt({ id, type }: Pick<Prompt, 'id' | 'type'>): CountedText | null {
  if (type === 'document') return { kind: 'text_prompt', id };
  return type === 'prompt' ? { kind: 'prompt', id } : null;
}

/** Return the attempts that count as a prepared message's; null for follow-ups, which are counted by step. */
export const countedPrepared = ({ id, type }: Pick<PreparedMessage, 'id' | 'type'>): CountedText | null =>
  type === 'initial' ? { kind: 'prepared_message', id } : null;
