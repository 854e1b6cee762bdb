/** SQL of tags, owners and imports of leads. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    lead_imports: Row<'lead_imports'>;
  }
}

/** Leads whose tags and CRM fields a list offers. */
const SAMPLED_LEADS = 20_000;
const MOST_VALUES = 200;

/** Tags as the value of a column. */
export const asTags = (tags: readonly string[]): RawBuilder<string[]> => sql<string[]>`${[...tags]}::text[]`;

/** Read the tags and the names of CRM fields in use, the most frequent first. */
export async function readLeadFacets(
  reader: Reader,
  productId: number,
): Promise<{ tags: { tag: string; leads: number }[]; crm_fields: string[] }> {
  const tags = await sql<{ tag: string; leads: number }>`
    select min(tag) as tag, count(*) as leads
      from (select tags from leads where product_id = ${productId} and tags <> '{}' order by id desc limit ${SAMPLED_LEADS}) as l
      cross join unnest(l.tags) as tag
     group by lower(tag) order by count(*) desc, lower(tag) limit ${MOST_VALUES}`.execute(reader);
  const fields = await sql<{ name: string }>`
    select name
      from (select crm_fields from leads where product_id = ${productId} and crm_fields <> '{}' order by id desc limit ${SAMPLED_LEADS}) as l
      cross join jsonb_object_keys(l.crm_fields) as name
     group by name order by count(*) desc, name limit ${MOST_VALUES}`.execute(reader);
  return { tags: tags.rows, crm_fields: fields.rows.map(({ name }) => name) };
}

/** Operators `o` with access to the products of company `c`. */
const HAS_ACCESS = sql`
  (o.role = 'admin' or exists (select 1 from operator_companies m where m.operator_id = o.id and m.company_id = c.company_id))`;

/** List the active operators with access to a product. */
export async function listOwners(reader: Reader, productId: number): Promise<{ id: number; login: string }[]> {
  const { rows } = await sql<{ id: number; login: string }>`
    select o.id, o.login from operators o join products c on c.id = ${productId}
     where o.is_active and ${HAS_ACCESS} order by lower(o.login)`.execute(reader);
  return rows;
}

/** Whether an operator has access to all these products. */
export async function mayOwnLeadsOf(reader: Reader, ownerId: number, productIds: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ has_access: boolean }>`
    select coalesce(bool_and(${HAS_ACCESS}), true) as has_access from operators o join products c on c.id = any(${idList(productIds)})
     where o.id = ${ownerId} and o.is_active`.execute(reader);
  return rows[0]?.has_access ?? false;
}

/** Tags and owner of a lead. */
export interface LeadMarks {
  readonly id: number;
  readonly product_id: number;
  readonly tags: string[];
  readonly owner_id: number | null;
}

/** Read the tags and owners of leads; within a transaction their rows are locked. */
export async function readMarks(reader: Reader, ids: readonly number[]): Promise<LeadMarks[]> {
  const { rows } = await sql<LeadMarks>`
    select id, product_id, tags, owner_id from leads where id = any(${[...ids]}::bigint[]) order by id
    ${reader.isTransaction ? sql`for update` : sql``}`.execute(reader);
  return rows;
}

/** Store tags and owners of leads, in one statement. */
export async function storeMarks(tx: Tx, marks: readonly Omit<LeadMarks, 'product_id'>[]): Promise<void> {
  if (marks.length === 0) return;
  await sql`
    update leads l set tags = m.tags, owner_id = m.owner_id, updated_at = domain_now()
      from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as m (id bigint, tags text[], owner_id bigint)
     where l.id = m.id`.execute(tx);
}

/** Find the import of a key, or create it. */
export async function openImport(
  tx: Tx,
  { productId, key, name, operator }: { productId: number; key: string; name: string; operator: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into lead_imports (product_id, import_key, name, operator) values (${productId}, ${key}, ${name}, ${operator})
    on conflict (product_id, import_key) do update set name = lead_imports.name returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The import has no id');
  return row.id;
}

/** Count the leads of an import again, after it has created or removed some. An import without leads is deleted. */
export async function countImport(tx: Tx, productId: number, key: string): Promise<void> {
  await sql`
    update lead_imports i set leads = (select count(*) from leads l where l.import_id = i.id)
     where i.product_id = ${productId} and i.import_key = ${key}`.execute(tx);
  await sql`delete from lead_imports where product_id = ${productId} and import_key = ${key} and leads = 0`.execute(tx);
}
