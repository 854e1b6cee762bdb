/** What an operator has done in amoCRM at once: a card moved, a card made. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Lead } from '../leads/contract.ts';
import { takeFromCrm } from '../leads/fromCrm.ts';
import { readLead } from '../leads/known.ts';
import { recordDeed, type Writing } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, type Refusal, refuse } from '../platform/refuse.ts';
import { moveCard, type Read, readCard } from './amocrm/api.ts';
import type { Answer } from './amocrm/call.ts';
import { cardsNamed, makeCard, type NewCard } from './amocrm/makeCard.ts';
import { amocrmRefusals } from './amocrmContract.ts';
import { applyCard, BY, nothingCame } from './applyCard.ts';
import { pipelineOfStep, stepName } from './directory.ts';
import { currentDirectory } from './directoryFor.ts';
import { importedSteps } from './mapping.ts';
import { cardOfLead, firstPair, isOfCompany, realNow, saveCard } from './store/cards.ts';
import { madeSince } from './store/madeCards.ts';

/** The refusal that a failed call is. */
export function refusalOf(failed: Exclude<Answer | Read<never>, { kind: 'ok' | 'read' }>): Refusal {
  switch (failed.kind) {
    case 'reconnect':
      return refuse(amocrmRefusals, 'amocrm.not_connected', { reason: failed.reason });
    case 'away':
      return refuse(amocrmRefusals, 'amocrm.away', { reason: failed.reason }, failed.retryAfterSeconds ?? 5);
    case 'refused':
      return refuse(amocrmRefusals, 'amocrm.refused', { reason: failed.reason });
    case 'missing':
      return refuse(amocrmRefusals, 'amocrm.refused', { reason: 'There is no such card in amoCRM' });
    default:
      return failed satisfies never;
  }
}

/** Puts a lead's card into a step, and has the lead follow as if somebody had moved the card in amoCRM. */
export async function changeStatus(
  ground: Ground,
  {
    company_id: companyId,
    lead_id: leadId,
    new_status_id: statusId,
  }: { company_id: number; lead_id: number; new_status_id: number },
  { caller, requestId }: Writing,
): Promise<void> {
  if (!(await isOfCompany(ground.reader, leadId, companyId)))
    throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  const row = await cardOfLead(ground.reader, leadId);
  if (!row) throw refuse(amocrmRefusals, 'amocrm.no_card');
  const { crm_integration_id: integrationId, card_id: cardId, product_id: productId } = row;
  const directory = await currentDirectory(ground, integrationId);
  if (directory.kind !== 'read') throw refusalOf(directory);
  const pipelineId = pipelineOfStep(directory.value, statusId, row.pipeline_id ?? 0);
  if (pipelineId === null) throw refuse(amocrmRefusals, 'amocrm.no_step', { step: statusId });
  const answer = await moveCard(ground, integrationId, cardId, { pipelineId, statusId });
  if (answer.kind !== 'moved') throw refusalOf(answer);
  await ground.transact((tx) =>
    recordDeed(tx, {
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
  const readAt = await realNow(ground.reader);
  const read = await readCard(ground, integrationId, cardId);
  // Moved it is; should it not be read now, the hook or the poll brings it.
  if (read.kind === 'read' && read.value) await applyCard(ground, integrationId, read.value, readAt, nothingCame());
}

/** Makes a card in the first mapped step of the product's pipelines, and its lead here. Gives the lead's id. */
export async function createLead(
  ground: Ground,
  { company_id: companyId, product_id: productId, name }: { company_id: number; product_id: number; name: string },
  { caller, requestId }: Writing,
): Promise<Lead['id']> {
  const pair = await firstPair(ground.reader, productId, companyId);
  if (pair === 'foreign') throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  if (!pair) throw refuse(amocrmRefusals, 'amocrm.no_integration');
  const [first] = importedSteps({ ...pair.config, import_enabled: true });
  if (!first) throw refuse(amocrmRefusals, 'amocrm.no_first_step');
  const { crm_integration_id: integrationId } = pair;
  const place = { pipelineId: first.pipeline_id, statusId: first.status_id };
  const directory = await currentDirectory(ground, integrationId);
  if (directory.kind !== 'read') throw refusalOf(directory);
  const readAt = await realNow(ground.reader);
  const cardId = await makeOnce(ground, integrationId, productId, { name: name.slice(0, 255), ...place }, readAt);
  failpoint('crm.afterCardMade');
  return ground.transact(async (tx) => {
    const status = stepName(directory.value, place.pipelineId, place.statusId);
    const lead = { productId, crmId: String(cardId), name, crmFields: {}, status, contacts: [] };
    const taken = await takeFromCrm(tx, ground.seal, lead, BY);
    if (taken.outcome === 'forgotten') throw new Error('A lead without an address is nobody who was deleted');
    await saveCard(tx, { productId, cardId, integrationId, leadId: taken.leadId, ...place, updatedAt: null, readAt });
    await recordDeed(tx, {
      caller,
      action: 'card made',
      noun: 'lead',
      rowId: taken.leadId,
      productId,
      after: { name, crm_id: String(cardId) },
      requestId,
    });
    if (!(await readLead(tx, taken.leadId))) throw new Error('The lead is not there');
    return taken.leadId;
  });
}

/** How often it is looked for a card that may have been made, and the pause before each look. */
const LOOKS = 2;
const LOOK_MS = 500;

/** Makes a card. Where amoCRM does not say whether it did, the card is looked for: asked again it would make another. */
async function makeOnce(
  ground: Ground,
  integrationId: number,
  productId: number,
  card: NewCard,
  begun: string,
): Promise<number> {
  const made = await makeCard(ground, integrationId, card);
  if (made.kind === 'read' && made.value !== null) return made.value;
  if (made.kind !== 'read' && !(made.kind === 'away' && made.maybeDone)) throw refusalOf(made);
  let isSeen = false;
  for (let look = 0; look < LOOKS; look++) {
    await pause(LOOK_MS);
    const named = await cardsNamed(ground, integrationId, card.name);
    const found = named.kind === 'read' ? await madeSince(ground.reader, productId, named.value, begun) : undefined;
    if (found !== undefined) return found;
    isSeen ||= named.kind === 'read';
  }
  if (!isSeen) throw refuse(amocrmRefusals, 'amocrm.perhaps_made', { name: card.name }, 5);
  throw made.kind === 'read'
    ? refuse(amocrmRefusals, 'amocrm.away', { reason: "amoCRM's answer is unreadable" }, 5)
    : refusalOf(made);
}
