/** SQL of leads that come from the CRM. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { ContactType } from '../contract.ts';
import { planLeads } from './plans.ts';

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
  /** Where the card is now: kept as the source of a lead that is created from it. */
  readonly position: { readonly pipelineId: number; readonly statusId: number };
  /** The first contact of each messenger becomes its main one. */
  readonly contacts: readonly CrmContact[];
}

/** Save the CRM's id and status, unless the lead has another CRM id. */
export async function setCrmId(tx: Tx, id: number, { crmId, status }: CrmLead): Promise<void> {
  await sql`update leads set crm_id = ${crmId}, status = ${status}
             where id = ${id} and (crm_id is null or crm_id = ${crmId})`.execute(tx);
}

export async function insertCrmLead(tx: Tx, lead: CrmLead & { readonly tags: readonly string[] }): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into leads (product_id, name, crm_id, crm_fields, status, tags, imported_pipeline_id, imported_step_id)
    values (${lead.productId}, ${lead.name}, ${lead.crmId}, ${JSON.stringify(lead.crmFields)}::jsonb, ${lead.status}, ${[...lead.tags]}::text[],
            ${lead.position.pipelineId}, ${lead.position.statusId})
    returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The lead has no id');
  return row.id;
}

/** Add contacts that a lead does not have; the first of each messenger becomes the main one if there is none yet. */
export async function addContacts(
  tx: Tx,
  lead: { id: number; product_id: number },
  contacts: readonly CrmContact[],
): Promise<void> {
  for (const one of contacts) {
    await sql`
      insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
      values (${lead.id}, ${lead.product_id}, ${one.contact}, ${one.type}, ${one.address},
              not exists (select 1 from contacts k where k.lead_id = ${lead.id} and k.contact_type = ${one.type} and k.is_main))
      on conflict do nothing`.execute(tx);
  }
  await planLeads(tx, [lead.id]);
}

export async function saveLeadName(tx: Tx, leadId: number, name: string): Promise<void> {
  await sql`update leads set name = ${name} where id = ${leadId}`.execute(tx);
  await planLeads(tx, [leadId]);
}

/** Save the name of the CRM's step; null: the card was deleted. */
export async function saveCrmStatus(tx: Tx, leadId: number, status: string | null): Promise<void> {
  await sql`update leads set status = ${status} where id = ${leadId} and status is distinct from ${status}`.execute(tx);
}
