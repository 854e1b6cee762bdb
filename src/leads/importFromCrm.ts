/** Imports leads from the CRM, and saves what the CRM reports about them later. */
import { sql } from 'kysely';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import type { SecretCipher } from '../platform/secretCipher.ts';
import type { ContactType } from './contract.ts';
import { findExistingLeads, lockImports } from './importStore.ts';
import { insertEvent, type LeadRow } from './store.ts';
import { findSuppressed } from './suppressedAddresses.ts';

export interface CrmContact {
  readonly type: ContactType;
  /** As written in the CRM. */
  readonly contact: string;
  readonly address: string;
}

export interface CrmLead {
  readonly productId: number;
  readonly crmId: string;
  readonly name: string;
  readonly crmFields: Readonly<Record<string, string | number | string[]>>;
  readonly status: string | null;
  /** The first contact of each messenger becomes its main one. */
  readonly contacts: readonly CrmContact[];
}

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
    await sql`update leads set crm_id = ${lead.crmId}, status = ${lead.status}
               where id = ${match.lead_id} and (crm_id is null or crm_id = ${lead.crmId})`.execute(tx);
    notify(tx, { topic: 'lead', product: lead.productId, ids: [match.lead_id] });
    return { outcome: 'present', leadId: match.lead_id };
  }
  if (addresses.length > 0 && (await findSuppressed(tx, cipher, { productId: lead.productId, addresses })).size > 0)
    return { outcome: 'forgotten' };
  const { rows } = await sql<{ id: number }>`
    insert into leads (product_id, name, crm_id, crm_fields, status)
    values (${lead.productId}, ${lead.name}, ${lead.crmId}, ${JSON.stringify(lead.crmFields)}::jsonb, ${lead.status})
    returning id`.execute(tx);
  const leadId = rows[0]?.id;
  if (leadId === undefined) throw new Error('The lead has no id');
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

/** Add contacts to a lead that has none of these; the first of each messenger becomes the main one. */
export async function addContacts(
  tx: Tx,
  lead: { id: number; product_id: number },
  contacts: readonly CrmContact[],
): Promise<void> {
  const typesSeen = new Set<ContactType>();
  for (const one of contacts) {
    await sql`
      insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
      values (${lead.id}, ${lead.product_id}, ${one.contact}, ${one.type}, ${one.address}, ${!typesSeen.has(one.type)})
      on conflict do nothing`.execute(tx);
    typesSeen.add(one.type);
  }
}

/** Save the name of the CRM's step; null: the card was deleted. */
export async function saveCrmStatus(tx: Tx, leadId: number, status: string | null): Promise<void> {
  await sql`update leads set status = ${status} where id = ${leadId} and status is distinct from ${status}`.execute(tx);
}

/** Record that the card was moved in the CRM. */
export async function recordCrmStatus(tx: Tx, lead: LeadRow, change: Record<string, unknown>): Promise<void> {
  await insertEvent(tx, { lead, type: 'crm_status_changed', content: change });
}

/** Notify consoles that a lead has changed. */
export const notifyLeadChanged = (tx: Tx, lead: Pick<LeadRow, 'id' | 'product_id'>): void =>
  notify(tx, { topic: 'lead', product: lead.product_id, ids: [lead.id] });
