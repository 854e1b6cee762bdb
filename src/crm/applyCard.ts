/**
 * Apply a card that was just read: import a lead for each product that imports from its step, or update the lead it
 * belongs to. The card is compared with what we last read or wrote, so our own writes change nothing, and hooks may be
 * duplicated, reordered or lost.
 */
import { cancelPending, takeOverLead } from '../conversations/ownership.ts';
import { changeStage } from '../leads/changeStage.ts';
import { addCrmContacts, importLead, notifyLeadChanged, recordCrmStatus, renameLead } from '../leads/importFromCrm.ts';
import { saveCrmStatus } from '../leads/store/crmLeads.ts';
import { returnToBot } from '../leads/store/humanOwner.ts';
import { type LeadRow, lockLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { ReadResult } from './amocrm/api.ts';
import type { AmocrmContact, Card } from './amocrm/shapes.ts';
import { type ContactsById, readContactsOf } from './contacts.ts';
import { type Directory, stepName } from './directory.ts';
import { addressesOf, fieldsOf, nameOf, nameWithoutAddresses, refusedAddressesOf } from './leadFromCard.ts';
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
  /** Left out, since it could not be read or applied. */
  skipped: number;
}
export const emptyCounts = (): SyncCounts => ({
  imported: 0,
  known: 0,
  forgotten: 0,
  unreachable: 0,
  moved: 0,
  unmapped: 0,
  deleted: 0,
  skipped: 0,
});

interface ApplyContext {
  readonly context: AppContext;
  readonly integrationId: number;
  /** When the read began, by the database's real clock. */
  readonly readAt: string;
  readonly counts: SyncCounts;
}

export type ApplyFailure = Exclude<ReadResult<never>, { kind: 'read' }>;

interface ReadCardInput {
  readonly integrationId: number;
  readonly card: Card;
  readonly readAt: string;
  readonly counts: SyncCounts;
  /** Contacts that were read for several cards together; those of this card are read where they are not among them. */
  readonly contacts?: ContactsById;
}

/**
 * Apply a card that was read. Returns the failure that prevented it; null if it was applied. `refused`: the card itself
 * is the reason.
 */
export async function applyCard(context: AppContext, input: ReadCardInput): Promise<ApplyFailure | null> {
  const { integrationId, card, readAt, counts } = input;
  const applyContext: ApplyContext = { context, integrationId, readAt, counts };
  const productSettings = await readProductSettings(context.reader, integrationId);
  const rows = await readCardRows(context.reader, { integrationId, cardIds: [card.id], readAt });
  const relevant = productSettings.filter((settings) => isRelevant(settings, card, rows));
  if (relevant.length === 0) return null;
  const directory = await readDirectoryWithStep(context, {
    integrationId,
    pipelineId: card.pipelineId,
    stepId: card.statusId,
  });
  if (directory.kind !== 'read') return directory;
  const crmContacts = relevant.some((settings) => needsContacts(settings, card, rows))
    ? await readContactsOf(context, { integrationId, ids: card.contactIds, read: input.contacts })
    : null;
  if (crmContacts !== null && crmContacts.kind !== 'read') return crmContacts;
  failpoint('crm.beforeApply');
  for (const settings of relevant) {
    try {
      await context.transact(async (tx) => {
        const leadId = rowOf(settings, card, rows)?.lead_id;
        // Lock the lead before its card, as everywhere.
        if (leadId !== null && leadId !== undefined) await lockLead(tx, leadId);
        const row = await lockCard(tx, { productId: settings.product_id, cardId: card.id, readAt });
        const change = { applyContext, link: settings, card, directory: directory.value };
        if (row) await updateFromCard(tx, { ...change, row, crmContacts: crmContacts?.value ?? null });
        else if (shouldImport(settings, card))
          await importCard(tx, { ...change, crmContacts: crmContacts?.value ?? [] });
      });
    } catch (error) {
      if (isUnavailable(error) || isTooSlow(error)) throw error;
      context.log.error({ card: card.id, error: String(error) }, 'a card of amoCRM could not be applied');
      return { kind: 'refused', status: 200, reason: 'Rapport could not save it' };
    }
  }
  return null;
}

/** Return the contacts that have to be read before these cards can be applied. */
export async function findNeededContacts(
  context: AppContext,
  { integrationId, cards, readAt }: { integrationId: number; cards: readonly Card[]; readAt: string },
): Promise<number[]> {
  const productSettings = await readProductSettings(context.reader, integrationId);
  const rows = await readCardRows(context.reader, { integrationId, cardIds: cards.map((one) => one.id), readAt });
  const needing = cards.filter((card) =>
    productSettings.some((settings) => isRelevant(settings, card, rows) && needsContacts(settings, card, rows)),
  );
  return [...new Set(needing.flatMap((card) => card.contactIds))];
}

const rowOf = (settings: ProductSettings, card: Card, rows: readonly CardRow[]): CardRow | undefined =>
  rows.find((row) => row.product_id === settings.product_id && row.card_id === card.id);

const isRelevant = (settings: ProductSettings, card: Card, rows: readonly CardRow[]): boolean =>
  rowOf(settings, card, rows) !== undefined || shouldImport(settings, card);

/** A card whose lead has addresses already is not searched for others, unless somebody asks for that. */
const lacksAddresses = (row: CardRow): boolean => row.lead_id !== null && (!row.has_contacts || row.reread_addresses);

function needsContacts(settings: ProductSettings, card: Card, rows: readonly CardRow[]): boolean {
  const row = rowOf(settings, card, rows);
  return !row || lacksAddresses(row);
}

const shouldImport = (settings: ProductSettings, card: Card): boolean =>
  isImported(settings.config, card.pipelineId, card.statusId);

async function importCard(
  tx: Tx,
  {
    applyContext: { context, integrationId, readAt, counts },
    link: { product_id: productId, config, timezone },
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
      name: nameOf(card, crmContacts, config),
      crmFields: fieldsOf(card, crmContacts, { ...config, timezone }),
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
    note: importResult.outcome === 'forgotten' ? 'The person was deleted here' : null,
    refusedAddresses: importResult.outcome === 'forgotten' ? null : refusedAddressesOf(card, crmContacts, config),
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
    applyContext: { context, integrationId, readAt, counts },
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
    /** Null: they were not read. */
    crmContacts: readonly AmocrmContact[] | null;
    directory: Directory;
  },
): Promise<void> {
  // Ignore an older state of the card that arrived after a newer one. Without a time (0) it is as old as its read.
  if (row.card_updated_at !== null && card.updatedAt !== 0 && card.updatedAt < row.card_updated_at) return;
  if (card.updatedAt <= (row.card_updated_at ?? 0) && row.read_later) return;
  const hasMoved = row.status_id !== null && (row.status_id !== card.statusId || row.pipeline_id !== card.pipelineId);
  const isSearched = crmContacts !== null && lacksAddresses(row);
  const save = () =>
    saveCard(tx, {
      productId,
      cardId: card.id,
      integrationId,
      leadId: row.lead_id,
      ...cardPosition(card),
      updatedAt: Math.max(card.updatedAt, row.card_updated_at ?? 0),
      readAt,
      note: null,
      ...(isSearched ? { refusedAddresses: refusedAddressesOf(card, crmContacts, config) } : {}),
    });
  const lead = row.lead_id === null ? undefined : await lockLead(tx, row.lead_id);
  if (!lead) return save();
  if (isSearched) await addAddresses(tx, context, { lead, row, card, crmContacts, config });
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

/**
 * Add the addresses of a card to its lead. The lead was imported with the main contact's name and may get another one's
 * address: then it gets that name too, unless somebody renamed it.
 */
async function addAddresses(
  tx: Tx,
  { cipher }: AppContext,
  { lead, row, card, crmContacts, config }: AddressInput,
): Promise<void> {
  const name = nameOf(card, crmContacts, config);
  const isAsImported = !row.has_contacts && lead.name === nameWithoutAddresses(card, crmContacts);
  if (isAsImported && lead.name !== name) await renameLead(tx, { lead, name, by: CRM_ACTOR });
  await addCrmContacts(tx, cipher, { lead, contacts: addressesOf(card, crmContacts, config) });
}

interface AddressInput {
  readonly lead: LeadRow;
  readonly row: CardRow;
  readonly card: Card;
  readonly crmContacts: readonly AmocrmContact[];
  readonly config: ProductSettings['config'];
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
  for (const { product_id: productId } of await readCardRows(context.reader, {
    integrationId,
    cardIds: [cardId],
    readAt,
  })) {
    await context.transact(async (tx) => {
      const before = (await readCardRows(tx, { integrationId, cardIds: [cardId], readAt })).find(
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
