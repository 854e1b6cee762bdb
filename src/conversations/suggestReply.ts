/** Has the product's bot draft a reply for an operator, who edits and sends it. Nothing is sent here. */
import { driverOf } from '../channels/drivers.ts';
import { findChannel } from '../channels/store.ts';
import { NO_VARIANTS, readVariants } from '../experiments/assign.ts';
import { findLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProductPrompt, renderPrompt } from '../prompts/prompt.ts';
import { renderSystemText } from './generateAnswer.ts';
import { withSignsShown } from './markup/whatsapp.ts';
import { toLeadText } from './markup.ts';
import { createPromptLookup } from './promptLookup.ts';
import { findProductForPrompt, writeText } from './runPrompt.ts';
import { findContact, findDialogue } from './store/dialogues.ts';
import { findHistory, findTeamNotes } from './store/messages.ts';
import { HISTORY_LIMIT, toModelMessages } from './systemPrompt.ts';
import { loadTemplateValues } from './templateValues.ts';

export type SuggestedReply =
  | { readonly kind: 'written'; readonly text: string; readonly runId: number | null }
  /** The lead has not written, or we wrote last. */
  | { readonly kind: 'nothing_to_answer' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Draft a reply from the product's prompt, the lead and the conversation, as the bot would. The run is stored and its
 * cost counts, whatever comes of the draft. A caller who lost access while the model wrote gets nothing.
 */
export async function suggestReply(
  context: AppContext,
  dialogueId: number,
  writing: WriteContext,
): Promise<SuggestedReply> {
  const { reader } = context;
  const dialogue = await findDialogue(reader, dialogueId);
  const contact = dialogue && (await findContact(reader, dialogue.contact_id));
  const lead = contact && (await findLead(reader, contact.lead_id));
  const product = dialogue && (await findProductForPrompt(reader, dialogue.product_id));
  const channel = dialogue && (await findChannel(reader, dialogue.channel_id));
  if (!contact || !lead || !product || !channel) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  const history = await findHistory(reader, { dialogueId, limit: HISTORY_LIMIT });
  if (history.at(-1)?.side !== 'user') return { kind: 'nothing_to_answer' };
  const variants = product.is_tested
    ? await readVariants(reader, { productId: product.id, leadId: lead.id })
    : NO_VARIANTS;
  const prompt = variants.prompt ?? (await readProductPrompt(reader, product.id, 'prompt'));
  if (!prompt) return { kind: 'failed', reason: 'the product has no prompt' };
  const values = await loadTemplateValues(reader, { product, lead, contact, now: product.now });
  const render = (text: string) => renderPrompt(context, { product, text, values });
  const notes = await findTeamNotes(reader, dialogueId);
  const rendered = await renderSystemText(context, { product, text: prompt.text, values, notes });
  if (rendered.kind === 'failed') return { kind: 'failed', reason: rendered.detail };
  const written = await writeText(context, {
    product,
    ...variants.model,
    purpose: 'chatbot',
    name: prompt.name,
    metadata: { prompt_id: prompt.id, prompt_version: prompt.version, draft_for: writing.caller.login },
    system: rendered.system,
    messages: toModelMessages(history),
    dialogueId,
    lookup: product.has_described ? await createPromptLookup(reader, product.id, render) : null,
    credentials: product.credentials,
  });
  if (written.kind === 'failed') return { kind: 'failed', reason: written.reason };
  await context.transact((tx) =>
    recordAuditEntry(tx, {
      ...writing,
      action: 'draft requested',
      noun: 'dialogue',
      rowId: dialogueId,
      productId: product.id,
      after: { run_id: written.runId },
    }),
  );
  // What the operator edits is what is sent.
  const markup = driverOf(channel.vendor).markupOf(channel.channel_type);
  const text = withSignsShown(toLeadText(written.text, markup), markup);
  return { kind: 'written', text, runId: written.runId };
}
