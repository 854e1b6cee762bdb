/**
 * Summarizes a dialogue for the person who takes it over. The model is called outside any transaction, and its
 * quotations are checked against the stored messages before anybody sees them.
 */

import { findLead } from '../leads/store.ts';
import { findCredentialsWithinBudget } from '../llm/store/withinBudget.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, readProduct } from '../products/product.ts';
import type { DialogueSummary } from './handOverContract.ts';
import { judge } from './judge.ts';
import { checkQuotations } from './quotations.ts';
import { conversationRefusals } from './refusals.ts';
import { findDialogue, findDialogueContext, lockDialogue } from './store/dialogues.ts';
import { findMessagesToSummarize, storeNewestSummary } from './store/handOvers.ts';
import { SUMMARIZED_MESSAGES, SUMMARY_PROMPT, SUMMARY_QUESTION } from './summaryQuestion.ts';
import { loadTemplateValues } from './templateValues.ts';

export type SummaryResult =
  | { readonly kind: 'summarized'; readonly summary: DialogueSummary }
  /** No key for the model, or no budget left. */
  | { readonly kind: 'off'; readonly reason: string }
  /** `isPermanent`: a retry would most likely fail too. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isPermanent: boolean }
  /** The dialogue is gone, or the lead has written nothing in it. */
  | { readonly kind: 'nothing' };

/** Ask the product's chatbot model for a summary, and leave out what is quoted and was never written. */
export async function summarize(context: AppContext, dialogueId: number): Promise<SummaryResult> {
  const { reader } = context;
  const dialogue = await findDialogue(reader, dialogueId);
  const dialogueContext = dialogue ? await findDialogueContext(reader, dialogueId) : null;
  const lead = dialogueContext ? await findLead(reader, dialogueContext.lead_id) : undefined;
  const product = dialogue ? await readProduct(reader, dialogue.product_id) : undefined;
  const messages = await findMessagesToSummarize(reader, dialogueId, SUMMARIZED_MESSAGES);
  if (!dialogue || !dialogueContext || !lead || !product) return { kind: 'nothing' };
  if (!messages.some(({ side }) => side === 'user')) return { kind: 'nothing' };
  const { vendor } = modelFor(context, product.config, 'chatbot');
  const credentials = await findCredentialsWithinBudget(reader, product.company_id);
  if (!credentials?.[vendor]) return { kind: 'off', reason: `No active key for ${vendor}` };
  failpoint('summary.beforeModel');
  const judgement = await judge(
    context,
    {
      product,
      purpose: 'summary',
      credentials,
      prompt: SUMMARY_PROMPT,
      dialogueId,
      turn: dialogue.turn,
      values: await loadTemplateValues(reader, { product, lead, contact: dialogueContext }),
      messages,
    },
    SUMMARY_QUESTION,
  );
  failpoint('summary.afterModel');
  if (judgement.kind === 'failed') {
    const { reason, isPermanent, paused } = judgement;
    return paused ? { kind: 'off', reason } : { kind: 'failed', reason, isPermanent };
  }
  // Read again: a message may have been removed meanwhile.
  const stored = await findMessagesToSummarize(reader, dialogueId, SUMMARIZED_MESSAGES);
  const summary = checkQuotations(
    judgement.value,
    stored.filter(({ side }) => side === 'user'),
  );
  return summary.lines.length + summary.quotes.length > 0
    ? { kind: 'summarized', summary }
    : { kind: 'failed', reason: 'The summary only quotes what nobody wrote', isPermanent: true };
}

/** Summarize a dialogue on request, and keep the summary with its newest hand-over. */
export async function summarizeNow(
  context: AppContext,
  dialogueId: number,
  writing: WriteContext,
): Promise<{ summary: DialogueSummary; hand_over_id: number | null }> {
  const result = await summarize(context, dialogueId);
  if (result.kind === 'nothing') throw refuse(conversationRefusals, 'summary.nothing');
  if (result.kind !== 'summarized') throw refuse(conversationRefusals, 'summary.not_made', { reason: result.reason });
  const { summary } = result;
  return context.transact(async (tx) => {
    const dialogue = await lockDialogue(tx, dialogueId);
    if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
    const handOverId = await storeNewestSummary(tx, dialogueId, summary);
    const { product_id: productId } = dialogue;
    await recordAuditEntry(tx, { ...writing, action: 'summarize', noun: 'dialogue', rowId: dialogueId, productId });
    if (handOverId !== null) notify(tx, { topic: 'dialogue', product: productId, ids: [dialogueId] });
    return { summary, hand_over_id: handOverId };
  });
}
