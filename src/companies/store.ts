import { sql } from 'kysely';
import type { Row, Tx } from '../platform/db.ts';

declare module '../platform/db.ts' {
  interface Tables {
    companies: Row<'companies'>;
  }
}

/** Count the channels that a company owns. The table is another module's; only its name is used, with no import. */
export async function countChannels(tx: Tx, companyId: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from channels where company_id = ${companyId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Count the products of a company. The table is another module's; only its name is used, with no import. */
export async function countProducts(tx: Tx, companyId: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from products where company_id = ${companyId}`.execute(tx);
  return rows[0]?.count ?? 0;
}
