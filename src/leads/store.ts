/** Every SQL statement about leads, contacts and their events. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Row, Tx } from '../platform/db.ts';
import { idList } from '../platform/statements.ts';
import { personKey } from './address.ts';
import type { ContactType, Lead, LeadEventType, Stage } from './contract.ts';
import type { LeadDocument } from './documentContract.ts';
import { leadListing } from './listing.ts';
import { makePlansDue, planLeads } from './store/plans.ts';

declare module '../platform/db.ts' {
  interface Tables {
    lead_documents: Row<'lead_documents', { document: LeadDocument['document'] }>;
    leads: Row<'leads', { crm_fields: Record<string, unknown>; stage: Stage }>;
    lead_events: Row<'lead_events', { event_type: LeadEventType; event_data: Record<string, unknown> }>;
    contacts: Row<'contacts', { contact_type: ContactType }>;
  }
}

export interface LeadRow {
  id: number;
  product_id: number;
  name: string;
  stage: Stage;
  is_active: boolean;
  timezone: string | null;
  crm_fields: Record<string, unknown>;
  recognized_deactivation_request: boolean;
}

const LEAD_COLUMNS = [
  'id',
  'product_id',
  'name',
  'stage',
  'is_active',
  'timezone',
  'crm_fields',
  'recognized_deactivation_request',
] as const;

export function findLead(reader: Reader, id: number): Promise<LeadRow | undefined> {
  return reader.selectFrom('leads').select(LEAD_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** Read a lead and lock its row until the transaction ends. */
export function lockLead(tx: Tx, id: number): Promise<LeadRow | undefined> {
  return tx.selectFrom('leads').select(LEAD_COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Query that reads leads and locks their rows until the transaction ends. Always in order of id, to avoid deadlocks. */
export const lockedLeads = (ids: readonly number[], skipsLocked = false): RawBuilder<LeadRow> =>
  sql<LeadRow>`select ${sql.join(LEAD_COLUMNS.map((one) => sql.ref(one)))} from leads where id = any(${idList(ids)})
                order by id for update ${skipsLocked ? sql`skip locked` : sql``}`;

/** Read leads and lock their rows until the transaction ends. */
export async function lockLeads(tx: Tx, ids: readonly number[]): Promise<LeadRow[]> {
  return (await lockedLeads(ids).execute(tx)).rows;
}

/** Delete leads; contacts, events, dialogues and messages are deleted by cascade. */
export async function deleteLeads(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('leads').where('id', 'in', ids).execute();
}

export function readAddresses(tx: Tx, ids: readonly number[]): Promise<{ product_id: number; address: string }[]> {
  return tx.selectFrom('contacts').select(['product_id', 'address']).distinct().where('lead_id', 'in', ids).execute();
}

/** Change a lead, and have its plan evaluated. */
export async function updateLead(
  tx: Tx,
  id: number,
  change: { stage?: Stage; is_active?: boolean; recognized_deactivation_request?: boolean },
): Promise<void> {
  await tx
    .updateTable('leads')
    .set({ ...change, updated_at: sql<string>`domain_now()` })
    .where('id', '=', id)
    .execute();
  await planLeads(tx, [id]);
}

export async function insertEvent(
  tx: Tx,
  {
    lead,
    type,
    content,
  }: { lead: { id: number; product_id: number }; type: LeadEventType; content: Record<string, unknown> },
): Promise<void> {
  await tx
    .insertInto('lead_events')
    .values({
      lead_id: lead.id,
      product_id: lead.product_id,
      event_type: type,
      event_data: JSON.stringify(content) as never,
    })
    .execute();
}

/**
 * Set the stages of leads, record an event for each, and have their plans evaluated; `cause` becomes part of the event. Returns the leads whose stage is
 * another one now.
 */
export async function storeStageChanges(
  tx: Tx,
  changes: readonly { readonly id: number; readonly stage: Stage }[],
  cause: Readonly<Record<string, unknown>>,
): Promise<{ id: number; product_id: number; stage: Stage }[]> {
  const { rows } = await sql<{ id: number; product_id: number; stage: Stage }>`
    with given as (
      select * from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ stage }) => stage)}::text[]) as g (id, stage)
    ), before as materialized (
      select l.id, l.stage, g.stage as next from leads l join given g using (id) where l.stage <> g.stage order by l.id for update of l
    ), moved as (
      update leads l set stage = b.next, updated_at = domain_now() from before b where l.id = b.id
      returning l.id, l.product_id, b.stage as before, l.stage
    ), recorded as (
      insert into lead_events (lead_id, product_id, event_type, event_data)
      select id, product_id, 'stage_changed', jsonb_build_object('from', before, 'to', stage) || ${JSON.stringify(cause)}::jsonb from moved
    ), planned as (${makePlansDue(sql`select id from moved`)})
    select id, product_id, stage from moved`.execute(tx);
  return rows;
}

/** Read the newest stage change of a lead. */
export async function lastStageChange(
  reader: Reader,
  leadId: number,
): Promise<{ from: Stage; to: Stage; by: string } | undefined> {
  const { rows } = await sql<{ from: Stage; to: Stage; by: string }>`
    select event_data->>'from' as from, event_data->>'to' as to, event_data->>'by' as by from lead_events
     where lead_id = ${leadId} and event_type = 'stage_changed' order by id desc limit 1`.execute(reader);
  return rows[0];
}

/** Read since when a lead has been eligible for a first message. */
export async function readEligibleSince(reader: Reader, id: number): Promise<string | null> {
  const { rows } = await sql<{ since: string }>`select eligible_since as since from leads where id = ${id}`.execute(
    reader,
  );
  return rows[0]?.since ?? null;
}

/** Set the eligibility date, so that a reverted lead does not count as newly eligible. Null keeps the current date. */
export async function setEligibleSince(tx: Tx, id: number, since: string | null): Promise<void> {
  await sql`update leads set eligible_since = coalesce(${since}::timestamptz, eligible_since) where id = ${id}`.execute(
    tx,
  );
}

export async function insertLead(tx: Tx, lead: { productId: number; name: string; stage: Stage }): Promise<number> {
  const row = await tx
    .insertInto('leads')
    .values({
      product_id: lead.productId,
      name: lead.name,
      stage: lead.stage,
      crm_id: null,
      timezone: null,
      status: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function insertContact(
  tx: Tx,
  contact: { leadId: number; productId: number; contact: string; type: ContactType; address: string; isMain: boolean },
): Promise<number> {
  const row = await tx
    .insertInto('contacts')
    .values({
      lead_id: contact.leadId,
      product_id: contact.productId,
      contact: contact.contact,
      contact_type: contact.type,
      address: contact.address,
      is_main: contact.isMain,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await planLeads(tx, [contact.leadId]);
  return row.id;
}

/** Clear the main contact of this type, before another one becomes the main one. */
export async function clearMainContact(tx: Tx, leadId: number, type: ContactType): Promise<void> {
  await tx
    .updateTable('contacts')
    .set({ is_main: false })
    .where('lead_id', '=', leadId)
    .where('contact_type', '=', type)
    .where('is_main', '=', true)
    .execute();
  await planLeads(tx, [leadId]);
}

/** Find the lead's contact with this address, or with a national variant of it. */
export async function findContactByAddress(
  reader: Reader,
  { leadId, type, address }: { leadId: number; type: ContactType; address: string },
): Promise<number | undefined> {
  const row = await reader
    .selectFrom('contacts')
    .select('id')
    .where('lead_id', '=', leadId)
    .where('contact_type', '=', type)
    .where(sql`person_key(address)`, '=', personKey(address))
    .executeTakeFirst();
  return row?.id;
}

/** Maximum document types for a template, and maximum characters of each. */
const MAX_TYPES = 50;
const MAX_TEXT_CHARS = 50_000;

/** The query of `readNewestDocuments`. */
export const newestDocuments = (leadId: RawBuilder<unknown>): RawBuilder<{ type: string; text: string }> => sql`
  select distinct on (type) type, left(document->>'text_data', ${MAX_TEXT_CHARS}) as text
    from lead_documents where lead_id = ${leadId} order by type, id desc limit ${MAX_TYPES}`;

/** Read the newest document of each type, as a map from type to text. */
export async function readNewestDocuments(reader: Reader, leadId: number): Promise<Record<string, string>> {
  const { rows } = await newestDocuments(sql`${leadId}`).execute(reader);
  return Object.fromEntries(rows.map((row) => [row.type, row.text]));
}

export async function insertDocument(
  tx: Tx,
  document: { leadId: number; productId: number; name: string; type: string; text: string },
): Promise<void> {
  await sql`
    insert into lead_documents (lead_id, product_id, name, type, document)
    values (${document.leadId}, ${document.productId}, ${document.name}, ${document.type},
            ${JSON.stringify({ text_data: document.text })}::jsonb)`.execute(tx);
}

/** Count for how many of these leads the action changes something, and their contacts. */
export async function countAffectedLeads(
  reader: Reader,
  ids: readonly number[],
  action: { kind: 'change_stage'; new_stage: Stage } | { kind: 'deactivate' } | { kind: 'delete' },
): Promise<{ affected: number; contacts: number }> {
  const idCondition = sql`id = any(${[...ids]}::bigint[])`;
  const changes =
    action.kind === 'delete'
      ? sql`true`
      : action.kind === 'deactivate'
        ? sql`is_active`
        : sql`stage <> ${action.new_stage}`;
  const { rows } = await sql<{ affected: number; contacts: number }>`
    select (select count(*) from leads where ${idCondition} and ${changes}) as affected,
           (select count(*) from contacts where lead_id = any(${[...ids]}::bigint[])) as contacts`.execute(reader);
  return rows[0] ?? { affected: 0, contacts: 0 };
}

/** Read a lead in the form of the API. */
export async function readLeadForApi(reader: Reader, id: number): Promise<Lead | null> {
  const columns = Object.entries(leadListing.select).map(([field, column]) => `${column} as "${field}"`);
  const { rows } = await sql<Lead>`select ${sql.raw(columns.join())} from leads t where t.id = ${id}`.execute(reader);
  return rows[0] ?? null;
}
