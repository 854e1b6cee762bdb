/** Every SQL statement of the import. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import { personKey } from '../address.ts';
import type { ImportedLead } from '../importRowContract.ts';

/** Serialise imports into a product, so that the second one sees the leads of the first. */
export async function lockImports(tx: Tx, productId: number): Promise<void> {
  await sql`select 1 from products where id = ${productId} for no key update`.execute(tx);
}

export interface ExistingLead {
  readonly mark: string;
  readonly lead_id: number;
  readonly import_key: string | null;
}

/** Find leads of the people with these addresses, on any messenger, or with one of these CRM ids, in the product. */
export async function findExistingLeads(
  reader: Reader,
  { productId, addresses, crmIds }: { productId: number; addresses: readonly string[]; crmIds: readonly string[] },
): Promise<ExistingLead[]> {
  const { rows } = await sql<ExistingLead>`
    select 'address ' || person_key(c.address) as mark, l.id as lead_id, i.import_key
      from contacts c join leads l on l.id = c.lead_id left join lead_imports i on i.id = l.import_id
     where c.product_id = ${productId} and person_key(c.address) = any(${addresses.map(personKey)}::text[])
    union all
    select 'crm ' || l.crm_id, l.id, i.import_key from leads l left join lead_imports i on i.id = l.import_id
     where l.product_id = ${productId} and l.crm_id = any(${[...crmIds]}::text[])
    order by lead_id`.execute(reader);
  return rows;
}

/** Insert leads with their contacts, in two statements; returns the ids in the order of the leads. */
export async function insertLeads(
  tx: Tx,
  {
    productId,
    importId,
    importedLeads,
  }: { productId: number; importId: number; importedLeads: readonly ImportedLead[] },
): Promise<number[]> {
  // Reserve the ids first, to assign contacts to their leads.
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('leads', 'id')) as id from generate_series(1, ${importedLeads.length}::int)`.execute(
    tx,
  );
  const ids = rows.map((row) => row.id);
  const leads = importedLeads.map(({ name, crmId, timezone, crmFields, tags }, index) => ({
    id: ids[index],
    name,
    crm_id: crmId,
    timezone,
    crm_fields: crmFields,
    tags,
  }));
  await sql`
    insert into leads (id, product_id, name, crm_id, crm_fields, timezone, tags, import_id) overriding system value
    select id, ${productId}, name, crm_id, crm_fields, timezone, tags, ${importId}
      from jsonb_to_recordset(${JSON.stringify(leads)}::jsonb)
           as t (id bigint, name text, crm_id text, crm_fields jsonb, timezone text, tags text[])`.execute(tx);
  // The first address of each messenger becomes its main contact.
  const contacts = importedLeads.flatMap((lead, index) =>
    lead.contacts.map((one) => ({
      ...one,
      lead: ids[index],
      is_main: lead.contacts.find(({ type }) => type === one.type) === one,
    })),
  );
  await sql`
    insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
    select lead, ${productId}, contact, type, address, is_main
      from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
           as t (lead bigint, contact text, type text, address text, is_main boolean)`.execute(tx);
  return ids;
}

/** List the leads of an import. `untouched`: not changed since, as far as the tables of this module show. */
export async function readImportedLeads(
  tx: Tx,
  productId: number,
  importKey: string,
): Promise<{ id: number; untouched: boolean }[]> {
  const { rows } = await sql<{ id: number; untouched: boolean }>`
    select l.id, l.updated_at = l.created_at
                 and not exists (select 1 from lead_events e where e.lead_id = l.id)
                 and not exists (select 1 from lead_documents d where d.lead_id = l.id) as untouched
      from leads l join lead_imports i on i.id = l.import_id
     where i.product_id = ${productId} and i.import_key = ${importKey} order by l.id for update of l`.execute(tx);
  return rows;
}
