/** What a send-new sends: a typed text, a prepared message filled in for the lead, or a document that a model writes. */
import { templateValues } from '../chatbot/values.ts';
import { writeDocument } from '../chatbot/writeDocument.ts';
import { readLead } from '../leads/known.ts';
import type { Doer } from '../platform/audit.ts';
import type { BodyOf } from '../platform/contract.ts';
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { preparedMessageOf } from '../prompts/known.ts';
import { EmptyVariable, renderMessage, TemplateError } from '../prompts/prompt.ts';
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

/**
 * Makes the text, outside any transaction since a model may think about it. Refuses what cannot be filled in. `caller`:
 * whoever asked, who has to be allowed to still when a model has answered.
 */
export async function makeText(ground: Ground, body: Wanted, caller?: Doer): Promise<Made> {
  if (body.text !== null) return { ...PLAIN, text: body.text };
  const contact = await findContact(ground.reader, body.contact_id);
  const lead = contact ? await readLead(ground.reader, contact.lead_id) : undefined;
  const product = contact ? await readProduct(ground.reader, contact.product_id) : undefined;
  if (!contact || !lead || !product) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  const values = await templateValues(ground.reader, { product, lead, contact });
  if (body.prepared_message_id !== null) {
    const prepared = await preparedMessageOf(ground.reader, body.prepared_message_id, product.id);
    if (!prepared) throw refuse(commonRefusals, 'not_found', { noun: 'prepared message' });
    const text = await refusing(() => renderMessage(ground, product, prepared.message, values));
    return { ...PLAIN, text, preparedMessageId: prepared.id };
  }
  const documentPromptId = body.document_prompt_id ?? 0;
  const written = await writeDocument(ground, {
    leadId: lead.id,
    documentPromptId,
    contact,
    ...(caller ? { caller } : {}),
  });
  if (written.kind === 'written') {
    const { kind: _kind, ...document } = written;
    return { ...document, preparedMessageId: null };
  }
  const { why, reason } = written;
  if (why === 'missing') throw refuse(commonRefusals, 'not_found', { noun: 'document prompt' });
  throw refuse(dialogueRefusals, why === 'template' ? 'message.template' : 'document.not_written', { reason });
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
