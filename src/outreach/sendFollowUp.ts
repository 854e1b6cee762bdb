/**
 * Sends follow-ups. Those with a prepared message are stored in sets; a model's text is written outside any transaction,
 * and stored only if the plan still asks for this very step.
 */

import { BOT_MESSAGE, queueTexts } from '../conversations/queueMessages.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { type ProductFacts, readProduct } from '../products/product.ts';
import { readPreparedMessage } from '../prompts/promptReferences.ts';
import { evaluate } from './evaluate.ts';
import type { DueAction } from './evaluateDue.ts';
import { fillIn, MAX_TEXT_RETRY_SECONDS, type TextResult, writeFollowUpText } from './messageText.ts';
import type { Decision } from './plan.ts';
import { type FailedLead, lockDialoguesOfLeads, readPlanState, recordFailures } from './store/outreach.ts';
import { loadTextMaterials } from './store/textMaterials.ts';

type FollowUp = Extract<Decision, { kind: 'ping' }>;

/** A text that a model has written for a step. */
interface WrittenFollowUp {
  readonly decision: FollowUp;
  readonly text: Extract<TextResult, { kind: 'made' }>;
}

/** Have a model write a follow-up, and store it. */
export async function writeFollowUp(
  context: AppContext,
  { productId, decision }: DueAction & { readonly decision: FollowUp },
): Promise<void> {
  const { leadId, dialogueId, step } = decision;
  const { state, attempts } = await readPlanState(context.reader, leadId);
  const text = await writeFollowUpText(context, { productId, leadId, dialogueId, step });
  failpoint('ping.afterText');
  if (text.kind === 'made') return storeFollowUps(context, [leadId], new Map([[leadId, { decision, text }]]));
  const pauseSeconds = text.isPermanent ? null : retryDelaySeconds(context, attempts, MAX_TEXT_RETRY_SECONDS);
  const reason = { code: 'text', reason: text.reason } as const;
  await context.transact((tx) => recordFailures(tx, [{ leadId, reason, pauseSeconds, state }]));
}

/** Store the follow-ups of leads that are still due: prepared messages, and what models have written. */
export async function storeFollowUps(
  context: AppContext,
  leadIds: readonly number[],
  written: ReadonlyMap<number, WrittenFollowUp> = new Map(),
): Promise<void> {
  await context.transact(async (tx) => {
    const dialogues = new Map((await lockDialoguesOfLeads(tx, leadIds)).map((dialogue) => [dialogue.id, dialogue]));
    const due = (await evaluate(tx, context.cipher, leadIds)).flatMap(({ lead, decision, settings }) => {
      const dialogue = decision.kind === 'ping' ? dialogues.get(decision.dialogueId) : undefined;
      return decision.kind === 'ping' && dialogue
        ? [{ productId: lead.productId, decision, dialogue, configId: settings.pings?.configId ?? null }]
        : [];
    });
    const prepared = await fillInPrepared(
      context,
      tx,
      due.map(({ productId, decision, dialogue }) => ({ productId, decision, contactId: dialogue.contact_id })),
    );
    failpoint('ping.afterText');
    const failed: FailedLead[] = [];
    const texts = due.flatMap((one) => {
      const { leadId } = one.decision;
      const result = prepared.get(leadId) ?? textOf(written.get(leadId), one.decision);
      if (result?.kind === 'failed')
        failed.push({ leadId, reason: { code: 'text', reason: result.reason }, pauseSeconds: null });
      return result?.kind === 'made' ? [{ ...one, text: result, outgoing: outgoingOf(one, result) }] : [];
    });
    await recordFailures(tx, failed);
    if (texts.length === 0) return;
    const ids = await queueTexts(tx, texts);
    for (const [index, { text }] of texts.entries()) {
      const messageId = ids[index]?.[0];
      if (text.runId !== null && messageId !== undefined) await linkRunToMessage(tx, text.runId, messageId);
    }
    failpoint('ping.beforeCommit');
  });
}

/** Return what was written if it was written for this very step. */
function textOf(written: WrittenFollowUp | undefined, { dialogueId, anchor, step }: FollowUp): TextResult | undefined {
  const isSame =
    written?.decision.dialogueId === dialogueId &&
    written.decision.anchor === anchor &&
    written.decision.step.step_number === step.step_number;
  return isSame ? written.text : undefined;
}

/** Fill in the prepared messages of steps, by lead. */
async function fillInPrepared(
  { threads }: AppContext,
  tx: Tx,
  due: readonly { readonly productId: number; readonly decision: FollowUp; readonly contactId: number }[],
): Promise<Map<number, TextResult>> {
  const products = new Map<number, ProductFacts | undefined>();
  const templates = new Map<number, string | null>();
  const texts = new Map<number, TextResult>();
  const targets = due.filter(({ decision }) => decision.step.prepared_message_id !== null);
  const materials = new Map(
    (
      await loadTextMaterials(
        tx,
        targets.map(({ decision, contactId }) => ({ leadId: decision.leadId, contactId })),
      )
    ).map((material) => [material.lead.id, material]),
  );
  for (const { productId, decision } of targets) {
    const { leadId, step } = decision;
    const { prepared_message_id: preparedMessageId } = step;
    const material = materials.get(leadId);
    if (preparedMessageId === null || !material) continue;
    if (!products.has(productId)) products.set(productId, await readProduct(tx, productId));
    if (!templates.has(preparedMessageId))
      templates.set(preparedMessageId, (await readPreparedMessage(tx, preparedMessageId, productId))?.message ?? null);
    const product = products.get(productId);
    if (!product) continue;
    const template = templates.get(preparedMessageId) ?? null;
    texts.set(leadId, await fillIn({ reader: tx, threads }, { product, template, preparedMessageId }, material));
  }
  return texts;
}

const outgoingOf = (
  { decision, dialogue, configId }: { decision: FollowUp; dialogue: { turn: number }; configId: number | null },
  text: Extract<TextResult, { kind: 'made' }>,
) => ({
  text: text.text,
  isMarkdown: text.isMarkdown,
  ...BOT_MESSAGE,
  // A reply of the lead cancels it.
  turn: dialogue.turn,
  replyOn: null,
  prompt: text.prompt,
  renderedPrompt: text.renderedPrompt,
  model: text.model,
  preparedMessageId: text.preparedMessageId,
  pingConfigId: configId,
  pingStepNumber: decision.step.step_number,
  origin: 'ping' as const,
  followUpAnchor: decision.anchor,
});
