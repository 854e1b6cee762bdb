/** SQL statements about an operator's present rights. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { roles } from '../contract.ts';

/**
 * Lock an operator's row in share mode. Several transactions may hold it at once; a change of the operator's role,
 * companies or password waits.
 */
export async function lockOperatorShared(tx: Tx, id: number): Promise<void> {
  await sql`select 1 from operators where id = ${id} for key share`.execute(tx);
}

/** Return the role of an active operator while the session exists; otherwise null. */
export async function roleInSession(tx: Tx, id: number, sessionId: number): Promise<(typeof roles)[number] | null> {
  const { rows } = await sql<{ role: (typeof roles)[number] }>`
    select o.role from operators o join sessions s on s.operator_id = o.id
     where o.id = ${id} and o.is_active and s.id = ${sessionId}`.execute(tx);
  return rows[0]?.role ?? null;
}

/**
 * Report whether any of these companies, or of these products' companies, is in `had` while the operator is no longer a
 * member.
 */
export async function lostAmong(
  tx: Tx,
  id: number,
  {
    had,
    products,
    companies,
  }: { readonly had: readonly number[]; readonly products: readonly number[]; readonly companies: readonly number[] },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (
      select unnest(${[...new Set(companies)]}::bigint[]) as company_id
      union select company_id from products where id = any(${[...new Set(products)]}::bigint[])
    ) named
    where company_id = any(${[...had]}::bigint[]) and not exists (
      select 1 from operator_companies c where c.operator_id = ${id} and c.company_id = named.company_id) limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}
