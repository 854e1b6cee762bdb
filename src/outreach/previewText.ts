/** Preview what outreach would send. Calls no model and imports none, so it can also run in a thread. */

import { findContact } from '../conversations/store/dialogues.ts';
import { loadTemplateValues, loadTemplateValuesForLead } from '../conversations/templateValues.ts';
import type { FrozenContent } from '../experiments/contract.ts';
import { findLead } from '../leads/store.ts';
import type { MessagingConfig } from '../products/contract.ts';
import type { readProduct } from '../products/product.ts';
import {
  EmptyVariable,
  type Renderer,
  readLivePrompt,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../prompts/prompt.ts';
import { readDocumentPrompt, readPreparedMessage } from '../prompts/promptReferences.ts';
import type { SequenceStep } from './sequence.ts';

/** A preview made without a model: a prompt is shown as it would be rendered. */
export interface Preview {
  readonly kind: 'text' | 'prompt' | 'failed';
  readonly name: string | null;
  readonly text: string;
}

type Product = NonNullable<Awaited<ReturnType<typeof readProduct>>>;

/** Preview the first message, or the follow-up of a step, as a lead would get it now. */
export async function previewText(
  renderer: Renderer,
  {
    product,
    leadId,
    contactId,
    subject,
  }: {
    product: Product;
    leadId: number;
    contactId: number | null;
    subject:
      | { readonly step: SequenceStep }
      | { readonly messagingConfig: MessagingConfig }
      | { readonly content: FrozenContent };
  },
): Promise<Preview> {
  const { reader } = renderer;
  const lead = await findLead(reader, leadId);
  const contact = contactId === null ? null : await findContact(reader, contactId);
  if (!lead) return { kind: 'failed', name: null, text: 'The lead is gone' };
  const values = contact
    ? await loadTemplateValues(reader, { product, lead, contact })
    : await loadTemplateValuesForLead(reader, product, leadId);
  try {
    if ('content' in subject) return await previewContent(renderer, { product, values, content: subject.content });
    const source = 'step' in subject ? sourceOfStep(subject.step) : sourceOfFirstMessage(subject.messagingConfig);
    if (source.prepared !== null) {
      const prepared = await readPreparedMessage(reader, source.prepared, product.id);
      if (!prepared) return { kind: 'failed', name: null, text: 'The prepared message is gone' };
      const text = await renderMessage(renderer, { product, text: prepared.message, values });
      return { kind: 'text', name: prepared.name, text };
    }
    if (source.prompt !== null) {
      const prompt = source.isDocument
        ? (await readDocumentPrompt(reader, source.prompt, product.id))?.prompt
        : await readLivePrompt(reader, source.prompt);
      if (!prompt) return { kind: 'failed', name: null, text: 'The prompt is gone, or was never published' };
      return {
        kind: 'prompt',
        name: prompt.name,
        text: await renderPrompt(renderer, { product, text: prompt.text, values }),
      };
    }
    return {
      kind: 'text',
      name: null,
      text: await renderMessage(renderer, { product, text: source.plain ?? '', values }),
    };
  } catch (error) {
    if (error instanceof EmptyVariable)
      return { kind: 'failed', name: null, text: `It would not be sent: ${error.variable} is empty` };
    if (error instanceof TemplateError)
      return { kind: 'failed', name: null, text: `It cannot be filled in: ${error.message.slice(0, 300)}` };
    throw error;
  }
}

/** Preview what an arm of an experiment has for a lead. */
async function previewContent(
  renderer: Renderer,
  { product, values, content }: { product: Product; values: TemplateValues; content: FrozenContent },
): Promise<Preview> {
  if (content.kind === 'model') return { kind: 'text', name: null, text: `${content.vendor}/${content.model}` };
  const { text } = content;
  if (content.kind === 'text')
    return { kind: 'text', name: null, text: await renderMessage(renderer, { product, text, values }) };
  return { kind: 'prompt', name: content.name, text: await renderPrompt(renderer, { product, text, values }) };
}

interface Source {
  readonly prepared: number | null;
  readonly prompt: number | null;
  readonly isDocument: boolean;
  readonly plain: string | null;
}

// The prepared message wins if both are set.
const sourceOfStep = (step: SequenceStep): Source => ({
  prepared: step.prepared_message_id,
  prompt: step.prepared_message_id === null ? step.prompt_id : null,
  isDocument: false,
  plain: null,
});

const sourceOfFirstMessage = (messagingConfig: MessagingConfig): Source => {
  const document = messagingConfig.initial_message_document_prompt_id;
  return {
    prepared: document === null ? messagingConfig.initial_message_prepared_message_id : null,
    prompt: document,
    isDocument: true,
    plain: messagingConfig.initial_message_text,
  };
};
