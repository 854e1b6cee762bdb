/** A document that a model writes for a lead by a document prompt; kept with the lead, so that templates can name it. */
import { keepDocument, readLead } from '../leads/known.ts';
import type { Doer } from '../platform/audit.ts';
import type { Ground } from '../platform/ground.ts';
import { readProduct } from '../products/product.ts';
import { documentPromptOf } from '../prompts/known.ts';
import { renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { unacceptable } from './acceptable.ts';
import { systemText } from './compose.ts';
import { speak } from './speak.ts';
import { contactOf } from './store.ts';
import { templateValues } from './values.ts';

/** What has to be known to a message that is made of the text. */
interface WrittenText {
  readonly text: string;
  readonly prompt: { readonly id: number; readonly name: string; readonly version: number };
  readonly renderedPrompt: string;
  readonly model: { readonly vendor: string; readonly name: string };
  /** The model's run behind it. */
  readonly runId: number | null;
}

export type Written =
  | (WrittenText & { readonly kind: 'written' })
  | {
      readonly kind: 'failed';
      /**
       * `missing`: no such lead, contact or document prompt. `template`: the prompt cannot be rendered. `money`: the
       * company may spend nothing more today, no model was asked. `refused`: no try will help until somebody changes
       * something. `model`: another try may help.
       */
      readonly why: 'missing' | 'template' | 'money' | 'refused' | 'model';
      readonly reason: string;
    };

interface Writing {
  readonly leadId: number;
  readonly documentPromptId: number;
  /** Whom the text addresses; the lead's main contact when left out. */
  readonly contact?: { readonly contact: string; readonly contact_type: string };
  /** Whoever wants it. It is kept only if he may still have it when the model has answered; else that is a refusal. */
  readonly caller?: Doer;
}

/**
 * Has a model write a lead's document and keeps it. Outside any transaction, since a model may think for two minutes. A
 * model that fails, and an answer that no person should read, are values; nothing is kept then.
 */
export async function writeDocument(ground: Ground, writing: Writing): Promise<Written> {
  const { reader } = ground;
  const lead = await readLead(reader, writing.leadId);
  const product = lead ? await readProduct(reader, lead.product_id) : undefined;
  const document = product ? await documentPromptOf(reader, writing.documentPromptId, product.id) : undefined;
  const contact = writing.contact ?? (lead ? await contactOf(reader, lead.id) : undefined);
  if (!lead || !product || !document || !contact) {
    const reason =
      !lead || !product ? 'The lead is gone' : contact ? 'The document prompt is gone' : 'The lead has no contact';
    return { kind: 'failed', why: 'missing', reason };
  }
  const { prompt } = document;
  const values = await templateValues(reader, { product, lead, contact });
  let system: string;
  try {
    system = systemText(await renderPrompt(ground, product, prompt.text, values), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { kind: 'failed', why: 'template', reason: error.message.slice(0, 300) };
  }
  const { completion, vendor, model, runId } = await speak(ground, {
    product,
    purpose: 'document',
    name: document.name,
    metadata: { prompt_id: prompt.id, prompt_version: prompt.version, lead_id: lead.id },
    system,
    messages: [{ role: 'user', content: 'Write the text now.' }],
    leadId: lead.id,
    vendor: null,
    model: null,
    temperature: null,
    unusable: (text) => unacceptable(text, system),
  });
  if (completion.kind === 'failed') {
    const why = completion.paused ? 'money' : completion.lasting ? 'refused' : 'model';
    return { kind: 'failed', why, reason: completion.reason };
  }
  const rubbish = unacceptable(completion.text, system);
  if (rubbish !== null) return { kind: 'failed', why: 'model', reason: `Unusable: ${rubbish}` };
  const text = completion.text.trim();
  await ground.transact(async (tx) => {
    await writing.caller?.lockRights?.(tx, [{ noun: 'lead', rowId: lead.id, productId: product.id }]);
    await keepDocument(tx, {
      leadId: lead.id,
      productId: product.id,
      name: document.name,
      type: document.document_type,
      text,
    });
  });
  return { kind: 'written', text, prompt, renderedPrompt: system, model: { vendor, name: model }, runId };
}
