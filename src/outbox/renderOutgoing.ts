/**
 * The content of a send-new: a typed text, a prepared message rendered for the lead, or a document written by a
 * model.
 */

import type { OutgoingMessage } from '../conversations/queueMessages.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import { findContact } from '../conversations/store/dialogues.ts';
import { loadTemplateValues } from '../conversations/templateValues.ts';
import { writeDocument } from '../conversations/writeDocument.ts';
import { findLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Doer } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { EmptyVariable, renderMessage, TemplateError } from '../prompts/prompt.ts';
import { readPreparedMessage } from '../prompts/promptReferences.ts';
import type { sendNew } from './sendContract.ts';

export interface OutgoingContent
  extends Pick<OutgoingMessage, 'text' | 'isMarkdown' | 'prompt' | 'renderedPrompt' | 'model' | 'preparedMessageId'> {
  /** The model run behind the text. */
  readonly runId: number | null;
}

const NO_SOURCE = {
  isMarkdown: false,
  prompt: null,
  renderedPrompt: null,
  model: null,
  preparedMessageId: null,
  runId: null,
};

/** Exactly one of text, prepared message and document prompt, for a contact. */
type OutgoingSource = Pick<
  BodyOf<typeof sendNew>,
  'contact_id' | 'text' | 'prepared_message_id' | 'document_prompt_id'
>;

/**
 * Render the text, outside any transaction, since a model may take long. Refuses templates that cannot be rendered.
 * `caller` is who requested it; they must still have access when the model has answered.
 */
export async function renderOutgoing(
  context: AppContext,
  source: OutgoingSource,
  caller?: Doer,
): Promise<OutgoingContent> {
  if (source.text !== null) return { ...NO_SOURCE, text: source.text };
  const contact = await findContact(context.reader, source.contact_id);
  const lead = contact ? await findLead(context.reader, contact.lead_id) : undefined;
  const product = contact ? await readProduct(context.reader, contact.product_id) : undefined;
  if (!contact || !lead || !product) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  const values = await loadTemplateValues(context.reader, { product, lead, contact });
  if (source.prepared_message_id !== null) {
    const prepared = await readPreparedMessage(context.reader, source.prepared_message_id, product.id);
    if (!prepared) throw refuse(commonRefusals, 'not_found', { noun: 'prepared message' });
    const text = await refuseUnrenderable(() => renderMessage(context, { product, text: prepared.message, values }));
    return { ...NO_SOURCE, text, preparedMessageId: prepared.id };
  }
  const documentPromptId = source.document_prompt_id ?? 0;
  const result = await writeDocument(context, {
    leadId: lead.id,
    documentPromptId,
    contact,
    ...(caller ? { caller } : {}),
  });
  if (result.kind === 'written') {
    const { kind: _kind, ...document } = result;
    return { ...document, isMarkdown: true, preparedMessageId: null };
  }
  const { code, reason } = result;
  if (code === 'missing') throw refuse(commonRefusals, 'not_found', { noun: 'document prompt' });
  throw refuse(conversationRefusals, code === 'template' ? 'message.template' : 'document.not_written', { reason });
}

/** Refuse a template that cannot be rendered, with the reason. */
async function refuseUnrenderable(render: () => Promise<string>): Promise<string> {
  try {
    return await render();
  } catch (error) {
    if (error instanceof EmptyVariable)
      throw refuse(conversationRefusals, 'message.empty_variable', { variable: error.variable });
    if (error instanceof TemplateError)
      throw refuse(conversationRefusals, 'message.template', { reason: error.message.slice(0, 300) });
    throw error;
  }
}
