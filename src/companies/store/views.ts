/** SQL of saved views. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { SavedView } from '../viewContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    saved_views: Row<'saved_views', { params: SavedView['params'] }>;
  }
}

const viewsOf = (callerId: number) => sql`
  select v.id, v.company_id, v.page, v.name, v.params, v.is_shared as shared, o.login as operator,
         v.operator_id = ${callerId} as own, v.created_at, v.revision as version
    from saved_views v join operators o on o.id = v.operator_id`;

/** List the views of a page that an operator may see, by name. */
export async function listViews(
  reader: Reader,
  { callerId, companyId, page }: { callerId: number; companyId: number; page: string },
): Promise<SavedView[]> {
  const { rows } = await sql<SavedView>`
    ${viewsOf(callerId)}
     where v.company_id = ${companyId} and v.page = ${page} and (v.operator_id = ${callerId} or v.is_shared)
     order by lower(v.name), v.id`.execute(reader);
  return rows;
}

/** Read a view that an operator may see, and lock it in a transaction; undefined for others' personal views. */
export async function findView(reader: Reader, id: number, callerId: number): Promise<SavedView | undefined> {
  const { rows } = await sql<SavedView>`
    ${viewsOf(callerId)} where v.id = ${id} and (v.operator_id = ${callerId} or v.is_shared)
    ${reader.isTransaction ? sql`for update of v` : sql``}`.execute(reader);
  return rows[0];
}

export async function countViews(reader: Reader, callerId: number, companyId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from saved_views where operator_id = ${callerId} and company_id = ${companyId}`.execute(
    reader,
  );
  return rows[0]?.count ?? 0;
}

export async function insertView(
  tx: Tx,
  {
    callerId,
    companyId,
    page,
    name,
    params,
    shared,
  }: Pick<SavedView, 'page' | 'name' | 'params' | 'shared'> & {
    callerId: number;
    companyId: number;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into saved_views (operator_id, company_id, page, name, params, is_shared)
    values (${callerId}, ${companyId}, ${page}, ${name}, ${JSON.stringify(params)}::jsonb, ${shared}) returning id`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('The view has no id');
  return row.id;
}

/** Store a view. Returns its new version. */
export async function updateView(tx: Tx, { id, name, params, shared, version }: SavedView): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    update saved_views set name = ${name}, params = ${JSON.stringify(params)}::jsonb, is_shared = ${shared} where id = ${id}
    returning revision as version`.execute(tx);
  return rows[0]?.version ?? version;
}

export async function removeView(tx: Tx, id: number): Promise<void> {
  await sql`delete from saved_views where id = ${id}`.execute(tx);
}
