/**
 * Has a model write a document for a lead from a document prompt, and stores it with the lead for templates to use.
 */
import { findLead, insertDocument } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Doer } from '../platform/audit.ts';
import { readProduct } from '../products/product.ts';
import { renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { readDocumentPrompt } from '../prompts/promptReferences.ts';
import { writeText } from './runPrompt.ts';
import { findMainContact } from './store/classificationConfigs.ts';
import { buildSystemPrompt } from './systemPrompt.ts';
import { loadTemplateValues } from './templateValues.ts';

/** What a message made from the text must record. */
interface DocumentText {
  readonly text: string;
  readonly prompt: { readonly id: number; readonly name: string; readonly version: number };
  readonly renderedPrompt: string;
  readonly model: { readonly vendor: string; readonly name: string };
  /** The model run behind it. */
  readonly runId: number | null;
}

export type DocumentResult =
  | (DocumentText & { readonly kind: 'written' })
  | {
      readonly kind: 'failed';
      /**
       * `missing`: no such lead, contact or document prompt. `template`: the prompt cannot be rendered. `money`: the
       * company's budget for today is spent, and no model was called. `refused`: no retry will help until somebody
       * changes something. `model`: a retry may help.
       */
      readonly code: 'missing' | 'template' | 'money' | 'refused' | 'model';
      readonly reason: string;
    };

interface WriteDocumentInput {
  readonly leadId: number;
  readonly documentPromptId: number;
  /** A copy of the document prompt, used in its place; the stored one may have been changed or deleted since. */
  readonly document?: Awaited<ReturnType<typeof readDocumentPrompt>>;
  /** The contact the text addresses; defaults to the lead's main contact. */
  readonly contact?: { readonly contact: string; readonly contact_type: string };
  /**
   * Who requests it. Stores the document only if the caller still has access when the model has answered; otherwise
   * refuses.
   */
  readonly caller?: Doer;
}

/**
 * Have a model write a lead's document and store it. Runs outside any transaction, since a model may take two
 * minutes. A model failure or an invalid answer is returned as a value, and nothing is stored.
 */
export async function writeDocument(context: AppContext, input: WriteDocumentInput): Promise<DocumentResult> {
  const { reader } = context;
  const lead = await findLead(reader, input.leadId);
  const product = lead ? await readProduct(reader, lead.product_id) : undefined;
  const document =
    input.document ?? (product ? await readDocumentPrompt(reader, input.documentPromptId, product.id) : undefined);
  const contact = input.contact ?? (lead ? await findMainContact(reader, lead.id) : undefined);
  if (!lead || !product || !document || !contact) {
    const reason =
      !lead || !product ? 'The lead is gone' : contact ? 'The document prompt is gone' : 'The lead has no contact';
    return { kind: 'failed', code: 'missing', reason };
  }
  const { prompt } = document;
  if (!prompt) return { kind: 'failed', code: 'refused', reason: `The prompt of ${document.name} was never published` };
  const values = await loadTemplateValues(reader, { product, lead, contact });
  let system: string;
  try {
    system = buildSystemPrompt(await renderPrompt(context, { product, text: prompt.text, values }), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { kind: 'failed', code: 'template', reason: error.message.slice(0, 300) };
  }
  const written = await writeText(context, {
    product,
    purpose: 'document',
    name: document.name,
    metadata: { prompt_id: prompt.id, prompt_version: prompt.version, lead_id: lead.id },
    system,
    messages: [{ role: 'user', content: 'Write the text now.' }],
    leadId: lead.id,
  });
  if (written.kind === 'failed') {
    const code = written.paused ? 'money' : written.isPermanent ? 'refused' : 'model';
    return { kind: 'failed', code, reason: written.reason };
  }
  await context.transact(async (tx) => {
    await input.caller?.lockRights?.(tx, [{ noun: 'lead', rowId: lead.id, productId: product.id }]);
    await insertDocument(tx, {
      leadId: lead.id,
      productId: product.id,
      name: document.name,
      type: document.document_type,
      text: written.text,
    });
  });
  return { ...written, prompt, renderedPrompt: system };
}
