/** Imports leads from the CRM, and saves what the CRM reports about them later. */
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import type { SecretCipher } from '../platform/secretCipher.ts';
import { readTagRules } from '../products/product.ts';
import { tagsAtImport } from '../products/tagContract.ts';
import { ruleValuesOf } from './importRowContract.ts';
import { addContacts, type CrmContact, type CrmLead, insertCrmLead, saveLeadName, setCrmId } from './store/crmLeads.ts';
import { findExistingLeads, lockImports } from './store/import.ts';
import { findSuppressed } from './store/suppressedAddresses.ts';
import { insertEvent, type LeadRow } from './store.ts';

/**
 * `present`: the lead exists already. Only its status and a missing CRM id are updated, and neither if it has another
 * CRM id.
 */
export type CrmImportResult =
  | { readonly outcome: 'created' | 'present'; readonly leadId: number }
  | { readonly outcome: 'forgotten' };

/** Import a lead from the CRM, in the caller's transaction. */
export async function importLead(
  tx: Tx,
  cipher: SecretCipher,
  { lead, by }: { lead: CrmLead; by: string },
): Promise<CrmImportResult> {
  await lockImports(tx, lead.productId);
  const addresses = [...new Set(lead.contacts.map((one) => one.address))];
  const existing = await findExistingLeads(tx, { productId: lead.productId, addresses, crmIds: [lead.crmId] });
  const match = existing.find((one) => one.mark.startsWith('crm ')) ?? existing[0];
  if (match) {
    await setCrmId(tx, match.lead_id, lead);
    notify(tx, { topic: 'lead', product: lead.productId, ids: [match.lead_id] });
    return { outcome: 'present', leadId: match.lead_id };
  }
  if (addresses.length > 0 && (await findSuppressed(tx, cipher, { productId: lead.productId, addresses })).size > 0)
    return { outcome: 'forgotten' };
  const tags = tagsAtImport([], await readTagRules(tx, lead.productId), ruleValuesOf({ ...lead, timezone: null }));
  const leadId = await insertCrmLead(tx, { ...lead, tags });
  await addContacts(tx, { id: leadId, product_id: lead.productId }, lead.contacts);
  await recordAuditEntry(tx, {
    caller: null,
    action: 'imported',
    noun: 'lead',
    rowId: leadId,
    productId: lead.productId,
    after: { name: lead.name, crm_id: lead.crmId, crm_fields: lead.crmFields, by },
  });
  notify(tx, { topic: 'lead', product: lead.productId, ids: [leadId] });
  return { outcome: 'created', leadId };
}

/** Add the contacts of a card to its lead, save for those of persons that were erased here. */
export async function addCrmContacts(
  tx: Tx,
  cipher: SecretCipher,
  { lead, contacts }: { lead: { id: number; product_id: number }; contacts: readonly CrmContact[] },
): Promise<void> {
  const addresses = contacts.map((one) => one.address);
  const suppressed = await findSuppressed(tx, cipher, { productId: lead.product_id, addresses });
  await addContacts(
    tx,
    lead,
    contacts.filter((one) => !suppressed.has(one.address)),
  );
}

/** Give a lead the name of the contact that it is written to from now on, in the caller's transaction. */
export async function renameLead(
  tx: Tx,
  { lead, name, by }: { lead: Pick<LeadRow, 'id' | 'product_id' | 'name'>; name: string; by: string },
): Promise<void> {
  await saveLeadName(tx, lead.id, name);
  await recordAuditEntry(tx, {
    caller: null,
    action: 'changed',
    noun: 'lead',
    rowId: lead.id,
    productId: lead.product_id,
    before: { name: lead.name },
    after: { name, by },
  });
  notifyLeadChanged(tx, lead);
}

/** Record that the card was moved in the CRM. */
export async function recordCrmStatus(tx: Tx, lead: LeadRow, change: Record<string, unknown>): Promise<void> {
  await insertEvent(tx, { lead, type: 'crm_status_changed', content: change });
}

/** Notify consoles that a lead has changed. */
export const notifyLeadChanged = (tx: Tx, lead: Pick<LeadRow, 'id' | 'product_id'>): void =>
  notify(tx, { topic: 'lead', product: lead.product_id, ids: [lead.id] });
