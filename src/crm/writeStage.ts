/** Puts a lead's card into the step of its stage. The stage has changed here already; the CRM follows when it can. */
import { announceLead, noteStatus } from '../leads/fromCrm.ts';
import { holdLead } from '../leads/known.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { type Card, moveCard, readCard } from './amocrm/api.ts';
import type { Answer } from './amocrm/call.ts';
import { applyCard, applyDeletion, isSent, nothingCame } from './applyCard.ts';
import { stepName } from './directory.ts';
import { stepOfStage } from './mapping.ts';
import { pauseSeconds } from './pauses.ts';
import { findAccount, saveError } from './store/accounts.ts';
import {
  type CardRow,
  dropWish,
  holdWish,
  lockRow,
  noteSent,
  pairsOf,
  postponeWish,
  realNow,
  releaseWish,
  saveCard,
  tellChanges,
} from './store/cards.ts';

/**
 * Writes what is wished for a card. The card is read first: a person may have moved it there meanwhile, and a write whose
 * answer was lost is not made twice.
 */
export async function writeStage(ground: Ground, productId: number, cardId: number): Promise<void> {
  const row = await holdWish(ground.reader, productId, cardId, ground.life);
  if (!row) return;
  try {
    await write(ground, row);
  } finally {
    await releaseWish(ground.reader, productId, cardId, ground.life);
  }
}

async function write(ground: Ground, row: CardRow): Promise<void> {
  const { product_id: productId, card_id: cardId, wish } = row;
  if (wish === null) return;
  const readAt = await realNow(ground.reader);
  const integrationId = row.crm_integration_id;
  const read = await readCard(ground, integrationId, cardId);
  if (read.kind !== 'read') return postpone(ground, row, read);
  const card = read.value;
  if (card === null) return applyDeletion(ground, integrationId, cardId, readAt, nothingCame());
  const isKnown = (row.status_id === card.statusId && row.pipeline_id === card.pipelineId) || isSent(row, card);
  // Moved there after it was moved here: the CRM's move counts, and takes the wish away.
  if (row.status_id !== null && !isKnown && (row.wished ?? 0) <= card.updatedAt) {
    const failed = await applyCard(ground, integrationId, card, readAt, nothingCame());
    return failed ? postpone(ground, row, failed) : undefined;
  }
  const pair = (await pairsOf(ground.reader, integrationId)).find((one) => one.product_id === productId);
  const step = pair ? stepOfStage(pair.config, card.pipelineId, wish) : null;
  if (step === null || step === card.statusId) return settle(ground, row, card, card.statusId, readAt);
  const to = { pipelineId: card.pipelineId, statusId: step };
  // Known before it leaves: the hook of it may be here before its answer, and its answer may never be.
  if (!(await noteSent(ground.reader, row, to))) return;
  const answer = await moveCard(ground, integrationId, cardId, to);
  failpoint('crm.afterMove');
  if (answer.kind !== 'moved') return postpone(ground, row, answer);
  // A read that began before the answer may still show the card where it stood: what is kept here is later than that.
  const updatedAt = Math.max(card.updatedAt, answer.updatedAt ?? 0);
  return settle(ground, row, { ...card, updatedAt }, step, await realNow(ground.reader));
}

/** The card stands where it should; a wish that came meanwhile stays. */
async function settle(ground: Ground, row: CardRow, card: Card, statusId: number, readAt: string): Promise<void> {
  const { product_id: productId, card_id: cardId, crm_integration_id: integrationId } = row;
  const account = await findAccount(ground.reader, integrationId);
  await ground.transact(async (tx) => {
    const lead = row.lead_id === null ? undefined : await holdLead(tx, row.lead_id);
    const now = await lockRow(tx, productId, cardId, readAt);
    if (!now) return;
    // Somebody moved the card between our reading and our writing, and that was taken for the last word: read again.
    if (now.wish === null) return tellChanges(tx, integrationId, { cards: [cardId], persons: [] });
    const place = { pipelineId: card.pipelineId, statusId, updatedAt: card.updatedAt };
    await saveCard(tx, { productId, cardId, integrationId, leadId: row.lead_id, ...place, readAt });
    if (lead) await noteStatus(tx, lead.id, stepName(account?.directory ?? null, card.pipelineId, statusId));
    if (now.wish_no === row.wish_no) await dropWish(tx, productId, cardId);
    if (lead) announceLead(tx, lead);
  });
}

async function postpone(ground: Ground, row: CardRow, failed: Exclude<Answer, { kind: 'ok' }>): Promise<void> {
  // Without keys it waits for them; the sweep leaves it alone meanwhile.
  if (failed.kind === 'reconnect') return;
  const reason = failed.kind === 'missing' ? 'There is no such card in amoCRM' : failed.reason;
  await saveError(ground.reader, row.crm_integration_id, reason);
  const seconds = failed.kind === 'away' ? (failed.retryAfterSeconds ?? pauseSeconds(ground.config, row.tries)) : null;
  const card = { productId: row.product_id, cardId: row.card_id, no: row.wish_no };
  await postponeWish(ground.reader, card, seconds, reason);
}
