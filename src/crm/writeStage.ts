/** Move a lead's card into the step of its stage. The stage has already changed here; the CRM follows when it can. */

import { deferFailed } from '../jobs/deferFailed.ts';
import { notifyLeadChanged } from '../leads/importFromCrm.ts';
import { saveCrmStatus } from '../leads/store/crmLeads.ts';
import { lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { moveCard, readCard } from './amocrm/api.ts';
import type { Answer } from './amocrm/call.ts';
import type { Card } from './amocrm/shapes.ts';
import { applyCard, applyDeletion, emptyCounts, isSent } from './applyCard.ts';
import { stepName } from './directory.ts';
import { stepForStage } from './mapping.ts';
import { findAccount, saveError } from './store/accounts.ts';
import {
  CARDS,
  type CardRow,
  claimPendingStage,
  clearPendingStage,
  deferStageWrite,
  lockCard,
  readProductSettings,
  readRealClock,
  recordChanges,
  recordSentStep,
  releasePendingStage,
  saveCard,
} from './store/cards.ts';

/**
 * Write the pending stage of a card. The card is read first: a person may have moved it meanwhile, and a write whose
 * answer was lost must not be repeated.
 */
export async function writeStage(context: AppContext, productId: number, cardId: number): Promise<void> {
  const row = await claimPendingStage(context.reader, { productId, cardId, claimant: context });
  if (!row) return;
  try {
    await context.claims.hold(CARDS, [{ product_id: productId, card_id: cardId }], () =>
      writePendingStage(context, row),
    );
  } catch (error) {
    await deferFailed(context, { error, attempts: row.attempts }, (seconds, reason) =>
      deferStageWrite(context.reader, {
        card: { productId, cardId, no: row.pending_stage_version },
        seconds,
        error: reason,
      }),
    );
  } finally {
    await releasePendingStage(context.reader, { productId, cardId, instanceId: context.instanceId });
  }
}

async function writePendingStage(context: AppContext, row: CardRow): Promise<void> {
  const { product_id: productId, card_id: cardId, pending_stage: pendingStage } = row;
  if (pendingStage === null) return;
  const readAt = await readRealClock(context.reader);
  const integrationId = row.crm_integration_id;
  const read = await readCard(context, integrationId, cardId);
  if (read.kind !== 'read') return deferWrite(context, row, read);
  const card = read.value;
  if (card === null) return applyDeletion(context, { integrationId, cardId, readAt, counts: emptyCounts() });
  const isExpected = (row.status_id === card.statusId && row.pipeline_id === card.pipelineId) || isSent(row, card);
  // The card was moved in the CRM after the stage changed here: the CRM's move wins and clears the pending stage.
  if (row.status_id !== null && !isExpected && (row.wished ?? 0) <= card.updatedAt) {
    const failed = await applyCard(context, { integrationId, card, readAt, counts: emptyCounts() });
    return failed ? deferWrite(context, row, failed) : undefined;
  }
  const settings = (await readProductSettings(context.reader, integrationId)).find(
    (one) => one.product_id === productId,
  );
  const step = settings ? stepForStage(settings.config, card.pipelineId, pendingStage) : null;
  if (step === null || step === card.statusId)
    return markStageWritten(context, { row, card, statusId: card.statusId, readAt });
  const target = { pipelineId: card.pipelineId, statusId: step };
  // Record the step before it is sent: its hook may arrive before its answer, and its answer may never arrive.
  if (!(await recordSentStep(context.reader, row, target))) return;
  const answer = await moveCard(context, { integrationId, cardId, target });
  failpoint('crm.afterMove');
  if (answer.kind !== 'moved') return deferWrite(context, row, answer);
  // A read that began before the answer may still show the old step, so the time stored here must be later than that
  // read.
  const updatedAt = Math.max(card.updatedAt, answer.updatedAt ?? 0);
  return markStageWritten(context, {
    row,
    card: { ...card, updatedAt },
    statusId: step,
    readAt: await readRealClock(context.reader),
  });
}

/** Record that the card is in its step; a pending stage that was set meanwhile stays. */
async function markStageWritten(
  context: AppContext,
  { row, card, statusId, readAt }: { row: CardRow; card: Card; statusId: number; readAt: string },
): Promise<void> {
  const { product_id: productId, card_id: cardId, crm_integration_id: integrationId } = row;
  const account = await findAccount(context.reader, integrationId);
  await context.transact(async (tx) => {
    const lead = row.lead_id === null ? undefined : await lockLead(tx, row.lead_id);
    const current = await lockCard(tx, { productId, cardId, readAt });
    if (!current) return;
    // Somebody moved the card between our read and our write, and that move was applied as the last one: read the card
    // again.
    if (current.pending_stage === null) return recordChanges(tx, integrationId, { cards: [cardId], contacts: [] });
    const position = { pipelineId: card.pipelineId, statusId, updatedAt: card.updatedAt };
    await saveCard(tx, { productId, cardId, integrationId, leadId: row.lead_id, ...position, readAt });
    if (lead) await saveCrmStatus(tx, lead.id, stepName(account?.directory ?? null, card.pipelineId, statusId));
    if (current.pending_stage_version === row.pending_stage_version) await clearPendingStage(tx, { productId, cardId });
    if (lead) notifyLeadChanged(tx, lead);
  });
}

async function deferWrite(context: AppContext, row: CardRow, failed: Exclude<Answer, { kind: 'ok' }>): Promise<void> {
  // Without keys it waits for them; meanwhile the sweep skips it.
  if (failed.kind === 'reconnect') return;
  const reason = failed.kind === 'missing' ? 'There is no such card in amoCRM' : failed.reason;
  await saveError(context.reader, row.crm_integration_id, reason);
  const seconds =
    failed.kind === 'away' ? (failed.retryAfterSeconds ?? retryDelaySeconds(context, row.attempts)) : null;
  const card = { productId: row.product_id, cardId: row.card_id, no: row.pending_stage_version };
  await deferStageWrite(context.reader, { card, seconds, error: reason });
}
