/**
 * Classifies each turn once, an interval after the lead's last message. The model is called outside any transaction;
 * its answer counts only if nothing has changed meanwhile.
 */

import { deferFailed } from '../jobs/deferFailed.ts';
import { changeStage } from '../leads/changeStage.ts';
import { blockReasonText, botBlockReason } from '../leads/lead.ts';
import { findLead, type LeadRow, lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { readProduct } from '../products/product.ts';
import {
  type ClassificationOutcome,
  classifyConversation,
  findClassificationConfig,
  storeClassificationResult,
} from './classifyConversation.ts';
import { dropDoubts, optOut } from './optOut.ts';
import { cancelPending } from './ownership.ts';
import { conversationRefusals } from './refusals.ts';
import { MAX_RETRY_DELAY_SECONDS, RETRY_TIMEOUT_SECONDS } from './reply.ts';
import {
  CLASSIFICATIONS,
  type ClassificationRow,
  claimClassification,
  closeClassification,
  deferClassification,
  deferClassificationToNextDay,
  releaseClassification,
  reopenClassification,
} from './store/classifications.ts';
import { findDialogue, findDialogueContext, lockDialogue } from './store/dialogues.ts';
import { findHistory } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';
import { hasUnprocessedInbound } from './store/unprocessed.ts';
import { HISTORY_LIMIT } from './systemPrompt.ts';
import { loadTemplateValues } from './templateValues.ts';

/** The actor named in the lead's events. */
export const CLASSIFIED_BY = 'classification';

/**
 * Return why a dialogue must not be classified now; null if it may be. Checked before the model is called and again
 * before its answer is applied.
 */
async function blockReason(
  reader: Reader,
  {
    dialogue: { owner, product_id: productId, turn },
    lead,
    classifiedTurn = turn,
  }: { dialogue: DialogueRow; lead: LeadRow | undefined; classifiedTurn?: number | undefined },
): Promise<string | null> {
  const isProductActive = (await readProduct(reader, productId))?.is_active ?? false;
  const isSuperseded = classifiedTurn !== turn;
  const reason = botBlockReason({ lead, isProductActive, owner, isSuperseded }, 'initiative');
  if (reason !== null) return blockReasonText(reason);
  return (await findClassificationConfig(reader, productId)) ? null : 'Classification is switched off';
}

/** Classify a turn if it is due and no other instance has claimed it. */
export async function classifyTurn(context: AppContext, id: number): Promise<void> {
  const row = await claimClassification(context.reader, id, context);
  if (!row) return;
  try {
    await context.claims.hold(CLASSIFICATIONS, [{ id }], () => classifyClaimed(context, row));
  } catch (error) {
    const failure = { error, attempts: row.attempts, maxSeconds: MAX_RETRY_DELAY_SECONDS };
    await deferFailed(context, failure, (seconds, reason) => tryLater(context, row, { seconds, reason }));
  } finally {
    await retryWhileDatabaseUnavailable(context, () => releaseClassification(context.reader, id, context.instanceId));
  }
}

async function classifyClaimed(context: AppContext, row: ClassificationRow): Promise<void> {
  const { reader } = context;
  const dialogue = await findDialogue(reader, row.dialogue_id);
  const dialogueContext = dialogue ? await findDialogueContext(reader, dialogue.id) : null;
  const lead = dialogueContext ? await findLead(reader, dialogueContext.lead_id) : undefined;
  if (!dialogue) return;
  const reasonToSkip = await blockReason(reader, { dialogue, lead, classifiedTurn: row.turn });
  if (reasonToSkip !== null) return closeAsUnclassified(context, { row, state: 'void', note: reasonToSkip });
  // A stored inbound message is not processed yet; once it is, the dialogue shows whether a new turn has begun.
  if (await hasUnprocessedInbound(reader, dialogue.id)) return;
  const product = await readProduct(reader, dialogue.product_id);
  const config = await findClassificationConfig(reader, dialogue.product_id);
  if (!product || !config || !dialogueContext || !lead) return;
  // What was written before the person's opt-out was lifted does not count again.
  const messages = await findHistory(reader, { dialogueId: dialogue.id, limit: HISTORY_LIMIT, sinceLift: true });
  if (messages.every(({ side }) => side !== 'user'))
    return closeAsUnclassified(context, {
      row,
      state: 'void',
      note: 'Nothing was written since the opt-out was lifted',
    });
  failpoint('classify.beforeModel');
  const judgement = await classifyConversation(
    context,
    {
      product,
      dialogueId: dialogue.id,
      turn: row.turn,
      values: await loadTemplateValues(reader, { product, lead, contact: dialogueContext }),
      messages,
    },
    config,
  );
  failpoint('classify.afterModel');
  if (judgement.kind === 'judged') return applyOutcome(context, row, judgement.value);
  const { reason, isPermanent, paused } = judgement;
  if (paused) {
    return context.transact(async (tx) => {
      await deferClassificationToNextDay(tx, row.id, reason);
      await notifyClassified(tx, row, dialogueContext.lead_id);
    });
  }
  if (isPermanent) return closeAsUnclassified(context, { row, state: 'failed', note: reason });
  await tryLater(context, row, { seconds: retryDelaySeconds(context, row.attempts, MAX_RETRY_DELAY_SECONDS), reason });
}

/** Have the turn classified later; give up if it has failed for long. */
async function tryLater(
  context: AppContext,
  row: ClassificationRow,
  { seconds, reason: note }: { readonly seconds: number; readonly reason: string },
): Promise<void> {
  const timedOut = await context.transact((tx) =>
    deferClassification(tx, { id: row.id, seconds, note, timeoutSeconds: RETRY_TIMEOUT_SECONDS }),
  );
  if (timedOut) await closeAsUnclassified(context, { row, state: 'failed', note });
}

/**
 * Change the lead's stage as classified, in one transaction with the result, under the locks of dialogue and lead.
 */
async function applyOutcome(
  context: AppContext,
  row: ClassificationRow,
  outcome: ClassificationOutcome,
): Promise<void> {
  await context.transact(async (tx) => {
    const dialogue = await lockDialogue(tx, row.dialogue_id);
    const dialogueContext = dialogue ? await findDialogueContext(tx, dialogue.id) : null;
    const lead = dialogueContext ? await lockLead(tx, dialogueContext.lead_id) : undefined;
    if (!dialogue || !dialogueContext) return;
    if (await hasUnprocessedInbound(tx, dialogue.id)) return;
    const reasonToSkip = await blockReason(tx, { dialogue, lead, classifiedTurn: row.turn });
    if (
      !(await closeClassification(tx, {
        id: row.id,
        state: reasonToSkip === null ? 'done' : 'void',
        note: reasonToSkip,
      }))
    )
      return;
    await notifyClassified(tx, row, dialogueContext.lead_id);
    if (reasonToSkip !== null) return;
    const { result, configId, optOut: hasOptedOut } = outcome;
    await storeClassificationResult(tx, {
      productId: row.product_id,
      dialogueId: row.dialogue_id,
      configId,
      turn: row.turn,
      result,
    });
    if (result.confirmed !== false)
      await changeStage(tx, {
        id: dialogueContext.lead_id,
        stage: result.stage,
        by: CLASSIFIED_BY,
        cancelPending,
        reason: result.reason,
        isDetected: true,
      });
    const about = { leadId: dialogueContext.lead_id, dialogueId: dialogue.id };
    if (hasOptedOut === true) await optOut(tx, context, { ...about, source: 'detection', by: CLASSIFIED_BY });
    if (hasOptedOut === false) await dropDoubts(tx, context, { ...about, by: CLASSIFIED_BY });
    failpoint('classify.beforeCommit');
  });
  failpoint('classify.afterCommit');
}

async function closeAsUnclassified(
  context: AppContext,
  { row, state, note }: { row: ClassificationRow; state: 'void' | 'failed'; note: string },
): Promise<void> {
  await context.transact(async (tx) => {
    if (!(await closeClassification(tx, { id: row.id, state, note }))) return;
    const dialogueContext = await findDialogueContext(tx, row.dialogue_id);
    if (dialogueContext) await notifyClassified(tx, row, dialogueContext.lead_id);
  });
}

async function notifyClassified(tx: Tx, row: ClassificationRow, leadId: number): Promise<void> {
  notify(tx, { topic: 'dialogue', product: row.product_id, ids: [row.dialogue_id] });
  notify(tx, { topic: 'lead', product: row.product_id, ids: [leadId] });
}

/** Request classification of the lead's last words now, or again. Refuses dialogues that would not be classified. */
export async function requestClassification(tx: Tx, id: number, writing: WriteContext): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  const dialogueContext = dialogue ? await findDialogueContext(tx, id) : null;
  if (!dialogue || !dialogueContext) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.turn === 0) throw refuse(conversationRefusals, 'classification.nothing');
  const reasonToSkip = await blockReason(tx, { dialogue, lead: await lockLead(tx, dialogueContext.lead_id) });
  if (reasonToSkip !== null) throw refuse(conversationRefusals, 'classification.not_now', { why: reasonToSkip });
  if ((await reopenClassification(tx, dialogue)) === 'done') throw refuse(conversationRefusals, 'classification.done');
  await recordAuditEntry(tx, {
    ...writing,
    action: 'classify',
    noun: 'dialogue',
    rowId: id,
    productId: dialogue.product_id,
  });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [id] });
  notify(tx, { topic: 'lead', product: dialogue.product_id, ids: [dialogueContext.lead_id] });
}
