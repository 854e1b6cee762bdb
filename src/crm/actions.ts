/** Actions of operators that change amoCRM at once: move a card, create a card. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Lead } from '../leads/contract.ts';
import { importLead } from '../leads/importFromCrm.ts';
import { findLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import { commonRefusals, type Refusal, refuse } from '../platform/refuse.ts';
import { moveCard, type ReadResult, readCard } from './amocrm/api.ts';
import type { Answer } from './amocrm/call.ts';
import { createCard, findCardsByName, type NewCard } from './amocrm/createCard.ts';
import { amocrmRefusals } from './amocrmContract.ts';
import { applyCard, CRM_ACTOR, emptyCounts } from './applyCard.ts';
import { pipelineOfStep, stepName } from './directory.ts';
import { importedSteps } from './mapping.ts';
import { readCurrentDirectory } from './readDirectory.ts';
import { findCardOfLead, findFirstIntegration, leadBelongsToCompany, readRealClock, saveCard } from './store/cards.ts';
import { findCardCreatedSince } from './store/createdCards.ts';

/** Convert a failed call to the refusal that the API returns. */
export function toRefusal(failed: Exclude<Answer | ReadResult<never>, { kind: 'ok' | 'read' }>): Refusal {
  switch (failed.kind) {
    case 'reconnect':
      return refuse(amocrmRefusals, 'amocrm.not_connected', { reason: failed.reason });
    case 'away':
      return refuse(amocrmRefusals, 'amocrm.away', {
        reason: failed.reason,
        retryAfter: failed.retryAfterSeconds ?? 5,
      });
    case 'refused':
      return refuse(amocrmRefusals, 'amocrm.refused', { reason: failed.reason });
    case 'missing':
      return refuse(amocrmRefusals, 'amocrm.refused', { reason: 'There is no such card in amoCRM' });
    default:
      return failed satisfies never;
  }
}

/** Move a lead's card into a step, and update the lead as if somebody had moved the card in amoCRM. */
export async function moveCardOfLead(
  context: AppContext,
  {
    company_id: companyId,
    lead_id: leadId,
    new_status_id: statusId,
  }: { company_id: number; lead_id: number; new_status_id: number },
  { caller, requestId }: WriteContext,
): Promise<void> {
  if (!(await leadBelongsToCompany(context.reader, leadId, companyId)))
    throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  const row = await findCardOfLead(context.reader, leadId);
  if (!row) throw refuse(amocrmRefusals, 'amocrm.no_card');
  const { crm_integration_id: integrationId, card_id: cardId, product_id: productId } = row;
  const directory = await readCurrentDirectory(context, integrationId);
  if (directory.kind !== 'read') throw toRefusal(directory);
  const pipelineId = pipelineOfStep(directory.value, statusId, row.pipeline_id ?? 0);
  if (pipelineId === null) throw refuse(amocrmRefusals, 'amocrm.no_step', { step: statusId });
  const answer = await moveCard(context, { integrationId, cardId, target: { pipelineId, statusId } });
  if (answer.kind !== 'moved') throw toRefusal(answer);
  await context.transact((tx) =>
    recordAuditEntry(tx, {
      caller,
      action: 'card moved',
      noun: 'lead',
      rowId: leadId,
      productId,
      before: { status_id: row.status_id },
      after: { status_id: statusId, status: stepName(directory.value, pipelineId, statusId) },
      requestId,
    }),
  );
  const readAt = await readRealClock(context.reader);
  const read = await readCard(context, integrationId, cardId);
  // The move is done. If the card cannot be read now, the hook or the poll applies it.
  if (read.kind === 'read' && read.value)
    await applyCard(context, { integrationId, card: read.value, readAt, counts: emptyCounts() });
}

/** Create a card in the first mapped step of the product's pipelines, and its lead here. Returns the lead's id. */
export async function createCardAndLead(
  context: AppContext,
  { company_id: companyId, product_id: productId, name }: { company_id: number; product_id: number; name: string },
  { caller, requestId }: WriteContext,
): Promise<Lead['id']> {
  const integration = await findFirstIntegration(context.reader, productId, companyId);
  if (integration === 'foreign') throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  if (!integration) throw refuse(amocrmRefusals, 'amocrm.no_integration');
  const [first] = importedSteps({ ...integration.config, import_enabled: true });
  if (!first) throw refuse(amocrmRefusals, 'amocrm.no_first_step');
  const { crm_integration_id: integrationId } = integration;
  const position = { pipelineId: first.pipeline_id, statusId: first.status_id };
  const directory = await readCurrentDirectory(context, integrationId);
  if (directory.kind !== 'read') throw toRefusal(directory);
  const readAt = await readRealClock(context.reader);
  const cardId = await createCardOnce(context, {
    integrationId,
    productId,
    card: { name: name.slice(0, 255), ...position },
    startedAt: readAt,
  });
  failpoint('crm.afterCardMade');
  return context.transact(async (tx) => {
    const status = stepName(directory.value, position.pipelineId, position.statusId);
    const lead = { productId, crmId: String(cardId), name, crmFields: {}, status, position, contacts: [] };
    const importResult = await importLead(tx, context.cipher, { lead, by: CRM_ACTOR });
    if (importResult.outcome === 'forgotten') throw new Error('A lead without an address is nobody who was deleted');
    await saveCard(tx, {
      productId,
      cardId,
      integrationId,
      leadId: importResult.leadId,
      ...position,
      updatedAt: null,
      readAt,
    });
    await recordAuditEntry(tx, {
      caller,
      action: 'card made',
      noun: 'lead',
      rowId: importResult.leadId,
      productId,
      after: { name, crm_id: String(cardId) },
      requestId,
    });
    if (!(await findLead(tx, importResult.leadId))) throw new Error('The lead is not there');
    return importResult.leadId;
  });
}

/** How often to search for a card that may have been created, and the pause before each search. */
const SEARCH_ATTEMPTS = 2;
const SEARCH_DELAY_MS = 500;

/**
 * Create a card. If amoCRM does not say whether it did, search for the card: repeating the call would create another
 * one.
 */
async function createCardOnce(
  context: AppContext,
  {
    integrationId,
    productId,
    card,
    startedAt,
  }: { integrationId: number; productId: number; card: NewCard; startedAt: string },
): Promise<number> {
  const result = await createCard(context, integrationId, card);
  if (result.kind === 'read' && result.value !== null) return result.value;
  if (result.kind !== 'read' && !(result.kind === 'away' && result.maybeDone)) throw toRefusal(result);
  let isSeen = false;
  for (let attempt = 0; attempt < SEARCH_ATTEMPTS; attempt++) {
    await pause(SEARCH_DELAY_MS);
    const candidates = await findCardsByName(context, integrationId, card.name);
    const existingId =
      candidates.kind === 'read'
        ? await findCardCreatedSince(context.reader, { productId, candidates: candidates.value, since: startedAt })
        : undefined;
    if (existingId !== undefined) return existingId;
    isSeen ||= candidates.kind === 'read';
  }
  if (!isSeen) throw refuse(amocrmRefusals, 'amocrm.perhaps_made', { name: card.name, retryAfter: 5 });
  throw result.kind === 'read'
    ? refuse(amocrmRefusals, 'amocrm.away', { reason: "amoCRM's answer is unreadable", retryAfter: 5 })
    : toRefusal(result);
}
