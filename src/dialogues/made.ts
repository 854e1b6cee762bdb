/** What a send-new sends: a typed text, a prepared message filled in for the lead, or a document that a model writes. */
import { unacceptable } from '../chatbot/acceptable.ts';
import { systemText } from '../chatbot/compose.ts';
import { templateValues } from '../chatbot/values.ts';
import { keepDocument, readLead } from '../leads/known.ts';
import { complete } from '../llm/complete.ts';
import { storeRun } from '../llm/runs.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { documentPromptOf, preparedMessageOf } from '../prompts/known.ts';
import { EmptyVariable, renderMessage, renderPrompt, TemplateError, type TemplateValues } from '../prompts/prompt.ts';
import type { sendNew } from './chatbotContract.ts';
import type { Outgoing } from './compose.ts';
import { dialogueRefusals } from './refusals.ts';
import { findContact } from './store/hand.ts';

export interface Made extends Pick<Outgoing, 'text' | 'prompt' | 'renderedPrompt' | 'model' | 'preparedMessageId'> {
  /** The model's run behind the text. */
  readonly runId: number | null;
}

const PLAIN = { prompt: null, renderedPrompt: null, model: null, preparedMessageId: null, runId: null };

/** Exactly one of text, prepared message and document prompt, for a contact. */
type Wanted = Pick<BodyOf<typeof sendNew>, 'contact_id' | 'text' | 'prepared_message_id' | 'document_prompt_id'>;

/** Makes the text, outside any transaction since a model may think about it. Refuses what cannot be filled in. */
export async function makeText(ground: Ground, body: Wanted): Promise<Made> {
  if (body.text !== null) return { ...PLAIN, text: body.text };
  const contact = await findContact(ground.reader, body.contact_id);
  const lead = contact ? await readLead(ground.reader, contact.lead_id) : undefined;
  const product = contact ? await readProduct(ground.reader, contact.product_id) : undefined;
  if (!contact || !lead || !product) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  const values = await templateValues(ground.reader, { product, lead, contact });
  if (body.prepared_message_id !== null) {
    const prepared = await preparedMessageOf(ground.reader, body.prepared_message_id, product.id);
    if (!prepared) throw refuse(commonRefusals, 'not_found', { noun: 'prepared message' });
    const text = await refusing(() => renderMessage(ground.reader, product.id, prepared.message, values));
    return { ...PLAIN, text, preparedMessageId: prepared.id };
  }
  const document = await documentPromptOf(ground.reader, body.document_prompt_id ?? 0, product.id);
  if (!document) throw refuse(commonRefusals, 'not_found', { noun: 'document prompt' });
  return writeDocument(ground, product, lead.id, document, values);
}

async function writeDocument(
  ground: Ground,
  product: NonNullable<Awaited<ReturnType<typeof readProduct>>>,
  leadId: number,
  document: NonNullable<Awaited<ReturnType<typeof documentPromptOf>>>,
  values: TemplateValues,
): Promise<Made> {
  const { prompt } = document;
  const system = systemText(await refusing(() => renderPrompt(ground.reader, product.id, prompt.text, values)), values);
  const chosen = modelFor(ground, product.config, 'document');
  const completion = await complete(ground, {
    companyId: product.company_id,
    vendor: chosen.vendor,
    model: chosen.model,
    temperature: chosen.temperature,
    system,
    messages: [{ role: 'user', content: 'Write the text now.' }],
  });
  const rubbish = completion.kind === 'answered' ? unacceptable(completion.text, system) : null;
  const error = completion.kind === 'failed' ? completion.reason : rubbish === null ? null : `Unusable: ${rubbish}`;
  const runId = await storeRun(ground.reader, {
    product_id: product.id,
    dialogue_id: null,
    message_id: null,
    purpose: 'document',
    name: document.name,
    model_vendor: chosen.vendor,
    model_name: chosen.model,
    execution_ms: completion.ms,
    token_input_usage: completion.inputTokens,
    token_output_usage: completion.outputTokens,
    metadata: { ...completion.metadata, prompt_id: prompt.id, prompt_version: prompt.version },
    error,
  });
  if (completion.kind === 'failed' || error !== null)
    throw refuse(dialogueRefusals, 'document.not_written', { reason: error ?? 'no usable answer' });
  const text = completion.text.trim();
  await ground.transact((tx) =>
    keepDocument(tx, { leadId, productId: product.id, name: document.name, type: document.document_type, text }),
  );
  return {
    text,
    prompt,
    renderedPrompt: system,
    model: { vendor: chosen.vendor, name: chosen.model },
    preparedMessageId: null,
    runId,
  };
}

/** A template that cannot be filled in is refused with the reason. */
async function refusing(render: () => Promise<string>): Promise<string> {
  try {
    return await render();
  } catch (error) {
    if (error instanceof EmptyVariable)
      throw refuse(dialogueRefusals, 'message.empty_variable', { variable: error.variable });
    if (error instanceof TemplateError)
      throw refuse(dialogueRefusals, 'message.template', { reason: error.message.slice(0, 300) });
    throw error;
  }
}
