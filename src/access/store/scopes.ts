/** SQL that finds the companies of rows. */
import type pg from 'pg';
import { prepared } from '../../platform/statements.ts';

export async function findCompaniesOfProducts(
  pool: pg.Pool,
  ids: readonly number[],
): Promise<{ id: number; company_id: number }[]> {
  const { rows } = await pool.query<{ id: number; company_id: number }>({
    ...prepared('select id, company_id from products where id = any($1::bigint[])'),
    values: [ids],
  });
  return rows;
}

/** Run the statement of an access rule. */
export async function findRowsByRule(
  pool: pg.Pool,
  statement: string,
  values: readonly unknown[],
): Promise<{ id: number; product_id?: number; company_id?: number }[]> {
  const { rows } = await pool.query<{ id: number; product_id?: number; company_id?: number }>({
    ...prepared(statement),
    values: [...values],
  });
  return rows;
}
