/**
 * Apply a card that was just read: import a lead for each product that imports from its step, or update the lead it
 * belongs to. The card is compared with what we last read or wrote, so our own writes change nothing, and hooks may be
 * duplicated, reordered or lost.
 */
import { cancelPending, takeOverLead } from '../conversations/ownership.ts';
import { changeStage } from '../leads/changeStage.ts';
import { importLead, notifyLeadChanged, recordCrmStatus } from '../leads/importFromCrm.ts';
import { addContacts, saveCrmStatus } from '../leads/store/crmLeads.ts';
import { returnToBot } from '../leads/store/humanOwner.ts';
import { lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { type AmocrmContact, type Card, type ReadResult, readContacts } from './amocrm/api.ts';
import { type Directory, stepName } from './directory.ts';
import { addressesOf, fieldsOf, nameOf } from './leadFromCard.ts';
import { isImported, stageForStep } from './mapping.ts';
import { readDirectoryWithStep } from './readDirectory.ts';
import {
  type CardRow,
  clearPendingStage,
  lockCard,
  type ProductSettings,
  readCardRows,
  readProductSettings,
  saveCard,
} from './store/cards.ts';

export const CRM_ACTOR = 'amoCRM';

/** Counts of what happened to the cards of a sync. */
export interface SyncCounts {
  imported: number;
  known: number;
  forgotten: number;
  unreachable: number;
  moved: number;
  unmapped: number;
  deleted: number;
}
export const emptyCounts = (): SyncCounts => ({
  imported: 0,
  known: 0,
  forgotten: 0,
  unreachable: 0,
  moved: 0,
  unmapped: 0,
  deleted: 0,
});

interface ApplyContext {
  readonly context: AppContext;
  readonly integrationId: number;
  /** When the read began, by the database's real clock. */
  readonly readAt: string;
  readonly counts: SyncCounts;
}

/** Apply a card that was read. Returns the failure that prevented it; null if it was applied. */
export async function applyCard(
  context: AppContext,
  { integrationId, card, readAt, counts }: { integrationId: number; card: Card; readAt: string; counts: SyncCounts },
): Promise<Exclude<ReadResult<never>, { kind: 'read' }> | null> {
  const applyContext: ApplyContext = { context, integrationId, readAt, counts };
  const productSettings = await readProductSettings(context.reader, integrationId);
  const rows = await readCardRows(context.reader, { integrationId, cardId: card.id, readAt });
  const rowsByProduct = new Map(rows.map((row) => [row.product_id, row]));
  const relevant = productSettings.filter(
    (settings) => rowsByProduct.has(settings.product_id) || shouldImport(settings, card),
  );
  if (relevant.length === 0) return null;
  const directory = await readDirectoryWithStep(context, {
    integrationId,
    pipelineId: card.pipelineId,
    stepId: card.statusId,
  });
  if (directory.kind !== 'read') return directory;
  const needsContacts = relevant.some((settings) => {
    const row = rowsByProduct.get(settings.product_id);
    return !row || (row.lead_id !== null && !row.has_contacts);
  });
  let crmContacts: readonly AmocrmContact[] = [];
  if (needsContacts) {
    const read = await readContacts(context, integrationId, card.contactIds);
    if (read.kind !== 'read') return read;
    crmContacts = read.value;
  }
  failpoint('crm.beforeApply');
  for (const settings of relevant) {
    await context.transact(async (tx) => {
      const leadId = rowsByProduct.get(settings.product_id)?.lead_id;
      // Lock the lead before its card, as everywhere.
      if (leadId !== null && leadId !== undefined) await lockLead(tx, leadId);
      const row = await lockCard(tx, { productId: settings.product_id, cardId: card.id, readAt });
      if (row)
        await updateFromCard(tx, { applyContext, link: settings, row, card, crmContacts, directory: directory.value });
      else if (shouldImport(settings, card))
        await importCard(tx, { applyContext, link: settings, card, crmContacts, directory: directory.value });
    });
  }
  return null;
}

const shouldImport = (settings: ProductSettings, card: Card): boolean =>
  isImported(settings.config, card.pipelineId, card.statusId);

async function importCard(
  tx: Tx,
  {
    applyContext: { context, integrationId, readAt, counts },
    link: { product_id: productId, config },
    card,
    crmContacts,
    directory,
  }: {
    applyContext: ApplyContext;
    link: ProductSettings;
    card: Card;
    crmContacts: readonly AmocrmContact[];
    directory: Directory;
  },
): Promise<void> {
  const contacts = addressesOf(card, crmContacts, config);
  const importResult = await importLead(tx, context.cipher, {
    lead: {
      productId,
      crmId: String(card.id),
      name: nameOf(card, crmContacts),
      crmFields: fieldsOf(card, crmContacts, config),
      status: stepName(directory, card.pipelineId, card.statusId),
      position: { pipelineId: card.pipelineId, statusId: card.statusId },
      contacts,
    },
    by: CRM_ACTOR,
  });
  await saveCard(tx, {
    productId,
    cardId: card.id,
    integrationId,
    leadId: importResult.outcome === 'forgotten' ? null : importResult.leadId,
    ...cardPosition(card),
    readAt,
    ...(importResult.outcome === 'forgotten' ? { note: 'The person was deleted here' } : {}),
  });
  if (importResult.outcome === 'created') counts.imported++;
  else if (importResult.outcome === 'present') counts.known++;
  else counts.forgotten++;
  if (importResult.outcome === 'created' && contacts.length === 0) counts.unreachable++;
}

const cardPosition = (card: Card) => ({
  pipelineId: card.pipelineId,
  statusId: card.statusId,
  updatedAt: card.updatedAt,
});

async function updateFromCard(
  tx: Tx,
  {
    applyContext: { integrationId, readAt, counts },
    link: { product_id: productId, config },
    row,
    card,
    crmContacts,
    directory,
  }: {
    applyContext: ApplyContext;
    link: ProductSettings;
    row: CardRow;
    card: Card;
    crmContacts: readonly AmocrmContact[];
    directory: Directory;
  },
): Promise<void> {
  // Ignore an older state of the card that arrived after a newer one.
  if (row.card_updated_at !== null && card.updatedAt < row.card_updated_at) return;
  if (card.updatedAt === row.card_updated_at && row.read_later) return;
  const hasMoved = row.status_id !== null && (row.status_id !== card.statusId || row.pipeline_id !== card.pipelineId);
  const save = () =>
    saveCard(tx, { productId, cardId: card.id, integrationId, leadId: row.lead_id, ...cardPosition(card), readAt });
  const lead = row.lead_id === null ? undefined : await lockLead(tx, row.lead_id);
  if (!lead) return save();
  if (!row.has_contacts) await addContacts(tx, lead, addressesOf(card, crmContacts, config));
  const name = stepName(directory, card.pipelineId, card.statusId);
  await saveCrmStatus(tx, lead.id, name);
  await save();
  // Not a move by someone else if a stage set here later is still to be written, or if the step is one that we sent.
  const isOurs = !hasMoved || isSent(row, card) || (row.wished !== null && row.wished > card.updatedAt);
  if (isOurs) {
    if (hasMoved) notifyLeadChanged(tx, lead);
    return;
  }
  const stage = stageForStep({ config, pipelineId: card.pipelineId, stepId: card.statusId, current: lead.stage });
  if (stage !== null) await returnToBot(tx, lead.id);
  if (stage !== null && stage !== lead.stage) {
    await changeStage(tx, {
      id: lead.id,
      stage,
      by: CRM_ACTOR,
      cancelPending,
      reason: `Step "${name ?? card.statusId}"`,
    });
    counts.moved++;
  } else {
    const from = stepName(directory, row.pipeline_id ?? 0, row.status_id ?? 0);
    await recordCrmStatus(tx, lead, {
      from,
      to: name,
      pipeline_id: card.pipelineId,
      status_id: card.statusId,
      is_mapped: stage !== null,
      by: CRM_ACTOR,
    });
    if (stage === null) {
      await takeOverLead(tx, lead.id, { code: 'crm_step', detail: name ?? String(card.statusId) });
      counts.unmapped++;
    } else counts.moved++;
  }
  // The move in the CRM is newer than the pending stage, and is not written back itself.
  await clearPendingStage(tx, { productId, cardId: card.id });
  notifyLeadChanged(tx, lead);
}

/** Check whether the card is in the step that our own write sent: the answer to that write may have been lost. */
export const isSent = (row: CardRow, card: Card): boolean =>
  row.sent_status_id === card.statusId && row.sent_pipeline_id === card.pipelineId;

/** Apply the deletion of a card: its lead stays, and a human decides. */
export async function applyDeletion(
  context: AppContext,
  {
    integrationId,
    cardId,
    readAt,
    counts,
  }: { integrationId: number; cardId: number; readAt: string; counts: SyncCounts },
): Promise<void> {
  for (const { product_id: productId } of await readCardRows(context.reader, { integrationId, cardId, readAt })) {
    await context.transact(async (tx) => {
      const before = (await readCardRows(tx, { integrationId, cardId, readAt })).find(
        (one) => one.product_id === productId,
      );
      const lead = before?.lead_id ? await lockLead(tx, before.lead_id) : undefined;
      const row = await lockCard(tx, { productId, cardId, readAt });
      if (!row || row.read_later) return;
      await clearPendingStage(tx, { productId, cardId });
      const position = { pipelineId: null, statusId: null, updatedAt: row.card_updated_at, note: 'Deleted in amoCRM' };
      await saveCard(tx, { productId, cardId, integrationId, leadId: row.lead_id, ...position, readAt });
      if (!lead || row.status_id === null) return;
      await saveCrmStatus(tx, lead.id, null);
      await recordCrmStatus(tx, lead, { from: null, to: null, is_deleted: true, by: CRM_ACTOR });
      await takeOverLead(tx, lead.id, { code: 'crm_deleted' });
      notifyLeadChanged(tx, lead);
      counts.deleted++;
    });
  }
}
