/**
 * What becomes of a card as it was just read: a lead of each product that imports from its step, or a change of the lead
 * it belongs to. What is compared is the card with what we last read or wrote, so that our own writes change nothing, and
 * hooks may come doubled, shuffled or not at all.
 */
import { silence, takeOverLead } from '../dialogues/ownership.ts';
import { changeStage } from '../leads/changeStage.ts';
import { addContacts, announceLead, noteStatus, recordCrmStatus, takeFromCrm } from '../leads/fromCrm.ts';
import { giveBack } from '../leads/human.ts';
import { holdLead } from '../leads/known.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { type Card, type Person, type Read, readPersons } from './amocrm/api.ts';
import { type Directory, stepName } from './directory.ts';
import { directoryFor } from './directoryFor.ts';
import { addressesOf, fieldsOf, nameOf } from './leadOfCard.ts';
import { isImported, stageOfStep } from './mapping.ts';
import { type CardRow, dropWish, lockRow, type Pair, pairsOf, rowsOfCard, saveCard } from './store/cards.ts';

export const BY = 'amoCRM';

/** What came of one card, counted for the state of the sync. */
export interface Outcome {
  imported: number;
  known: number;
  forgotten: number;
  unreachable: number;
  moved: number;
  unmapped: number;
  deleted: number;
}
export const nothingCame = (): Outcome => ({
  imported: 0,
  known: 0,
  forgotten: 0,
  unreachable: 0,
  moved: 0,
  unmapped: 0,
  deleted: 0,
});

interface Scene {
  readonly ground: Ground;
  readonly integrationId: number;
  /** When the read began, by the database's real clock. */
  readonly readAt: string;
  readonly outcome: Outcome;
}

/** Applies a card that was read. Gives why it could not be; null: it was. */
export async function applyCard(
  ground: Ground,
  integrationId: number,
  card: Card,
  readAt: string,
  outcome: Outcome,
): Promise<Exclude<Read<never>, { kind: 'read' }> | null> {
  const scene: Scene = { ground, integrationId, readAt, outcome };
  const pairs = await pairsOf(ground.reader, integrationId);
  const rows = await rowsOfCard(ground.reader, integrationId, card.id, readAt);
  const known = new Map(rows.map((row) => [row.product_id, row]));
  const concerned = pairs.filter((pair) => known.has(pair.product_id) || wants(pair, card));
  if (concerned.length === 0) return null;
  const directory = await directoryFor(ground, integrationId, card.pipelineId, card.statusId);
  if (directory.kind !== 'read') return directory;
  const needsPersons = concerned.some((pair) => {
    const row = known.get(pair.product_id);
    return !row || (row.lead_id !== null && !row.has_contacts);
  });
  let persons: readonly Person[] = [];
  if (needsPersons) {
    const read = await readPersons(ground, integrationId, card.contactIds);
    if (read.kind !== 'read') return read;
    persons = read.value;
  }
  failpoint('crm.beforeApply');
  for (const pair of concerned) {
    await ground.transact(async (tx) => {
      const leadId = known.get(pair.product_id)?.lead_id;
      // The lead before its card, as everywhere.
      if (leadId !== null && leadId !== undefined) await holdLead(tx, leadId);
      const row = await lockRow(tx, pair.product_id, card.id, readAt);
      if (row) await follow(tx, scene, pair, row, card, persons, directory.value);
      else if (wants(pair, card)) await take(tx, scene, pair, card, persons, directory.value);
    });
  }
  return null;
}

const wants = (pair: Pair, card: Card): boolean => isImported(pair.config, card.pipelineId, card.statusId);

async function take(
  tx: Tx,
  { ground, integrationId, readAt, outcome }: Scene,
  { product_id: productId, config }: Pair,
  card: Card,
  persons: readonly Person[],
  directory: Directory,
): Promise<void> {
  const contacts = addressesOf(card, persons, config);
  const taken = await takeFromCrm(
    tx,
    ground.seal,
    {
      productId,
      crmId: String(card.id),
      name: nameOf(card, persons),
      crmFields: fieldsOf(card, persons, config),
      status: stepName(directory, card.pipelineId, card.statusId),
      contacts,
    },
    BY,
  );
  await saveCard(tx, {
    productId,
    cardId: card.id,
    integrationId,
    leadId: taken.outcome === 'forgotten' ? null : taken.leadId,
    ...placeOf(card),
    readAt,
    ...(taken.outcome === 'forgotten' ? { note: 'The person was deleted here' } : {}),
  });
  if (taken.outcome === 'created') outcome.imported++;
  else if (taken.outcome === 'present') outcome.known++;
  else outcome.forgotten++;
  if (taken.outcome === 'created' && contacts.length === 0) outcome.unreachable++;
}

const placeOf = (card: Card) => ({ pipelineId: card.pipelineId, statusId: card.statusId, updatedAt: card.updatedAt });

async function follow(
  tx: Tx,
  { integrationId, readAt, outcome }: Scene,
  { product_id: productId, config }: Pair,
  row: CardRow,
  card: Card,
  persons: readonly Person[],
  directory: Directory,
): Promise<void> {
  // An older state of the card than the one that is known here, overtaken on its way.
  if (row.card_updated_at !== null && card.updatedAt < row.card_updated_at) return;
  if (card.updatedAt === row.card_updated_at && row.read_later) return;
  const moved = row.status_id !== null && (row.status_id !== card.statusId || row.pipeline_id !== card.pipelineId);
  const save = () =>
    saveCard(tx, { productId, cardId: card.id, integrationId, leadId: row.lead_id, ...placeOf(card), readAt });
  const lead = row.lead_id === null ? undefined : await holdLead(tx, row.lead_id);
  if (!lead) return save();
  if (!row.has_contacts) await addContacts(tx, lead, addressesOf(card, persons, config));
  const name = stepName(directory, card.pipelineId, card.statusId);
  await noteStatus(tx, lead.id, name);
  await save();
  // What was moved here after the card was moved there is still to be written; what we sent has arrived.
  const isOurs = !moved || isSent(row, card) || (row.wished !== null && row.wished > card.updatedAt);
  if (isOurs) {
    if (moved) announceLead(tx, lead);
    return;
  }
  const stage = stageOfStep(config, card.pipelineId, card.statusId, lead.stage);
  if (stage !== null) await giveBack(tx, lead.id);
  if (stage !== null && stage !== lead.stage) {
    await changeStage(tx, lead.id, stage, BY, silence, `Step "${name ?? card.statusId}"`);
    outcome.moved++;
  } else {
    const from = stepName(directory, row.pipeline_id ?? 0, row.status_id ?? 0);
    await recordCrmStatus(tx, lead, {
      from,
      to: name,
      pipeline_id: card.pipelineId,
      status_id: card.statusId,
      is_mapped: stage !== null,
      by: BY,
    });
    if (stage === null) {
      await takeOverLead(tx, lead.id, `Moved to "${name ?? card.statusId}" in amoCRM`);
      outcome.unmapped++;
    } else outcome.moved++;
  }
  // The move in the CRM is newer than what was still to be written, and is itself not written back.
  await dropWish(tx, productId, card.id);
  announceLead(tx, lead);
}

/** Whether the card stands where our own write was to put it: the answer to it may have been lost. */
export const isSent = (row: CardRow, card: Card): boolean =>
  row.sent_status_id === card.statusId && row.sent_pipeline_id === card.pipelineId;

/** A card that is not there any more: its lead stays, and a human decides. */
export async function applyDeletion(
  ground: Ground,
  integrationId: number,
  cardId: number,
  readAt: string,
  outcome: Outcome,
): Promise<void> {
  for (const { product_id: productId } of await rowsOfCard(ground.reader, integrationId, cardId, readAt)) {
    await ground.transact(async (tx) => {
      const before = (await rowsOfCard(tx, integrationId, cardId, readAt)).find((one) => one.product_id === productId);
      const lead = before?.lead_id ? await holdLead(tx, before.lead_id) : undefined;
      const row = await lockRow(tx, productId, cardId, readAt);
      if (!row || row.read_later) return;
      await dropWish(tx, productId, cardId);
      const gone = { pipelineId: null, statusId: null, updatedAt: row.card_updated_at, note: 'Deleted in amoCRM' };
      await saveCard(tx, { productId, cardId, integrationId, leadId: row.lead_id, ...gone, readAt });
      if (!lead || row.status_id === null) return;
      await noteStatus(tx, lead.id, null);
      await recordCrmStatus(tx, lead, { from: null, to: null, is_deleted: true, by: BY });
      await takeOverLead(tx, lead.id, 'The card was deleted in amoCRM');
      announceLead(tx, lead);
      outcome.deleted++;
    });
  }
}
