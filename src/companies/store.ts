import { type Generated, sql } from 'kysely';
import type { Tx } from '../platform/db.ts';

interface CompanyTable {
  id: Generated<number>;
  name: string;
  created_at: Generated<string>;
  llm_daily_budget: Generated<number | null>;
  revision: Generated<number>;
}

declare module '../platform/db.ts' {
  interface Tables {
    companies: CompanyTable;
  }
}

/** Channels that a company owns; the table is a neighbour's, so it is asked by name only. */
export async function countChannels(tx: Tx, companyId: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from channels where company_id = ${companyId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Products of a company; the table is a neighbour's, so it is asked by name only. */
export async function countProducts(tx: Tx, companyId: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from products where company_id = ${companyId}`.execute(tx);
  return rows[0]?.count ?? 0;
}
