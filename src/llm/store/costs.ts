/** Sums of model costs. Each run's cost is stored with the run; this module adds them up. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { Spending, Spent, Sums } from '../costContract.ts';
import { SUMS } from './budget.ts';

/** SQL: the cost of the runs behind a message, or of a dialogue; null if none has a known price. `t`: that row. */
export const MESSAGE_COST = '(select sum(r.cost) from llm_runs r where r.message_id = t.id)';
export const DIALOGUE_COST = '(select sum(r.cost) from llm_runs r where r.dialogue_id = t.id)';

const DAYS = 30;
/** The first of the last 30 UTC days. */
const FIRST_DAY = sql`((domain_now() at time zone 'UTC')::date - ${DAYS - 1}::int)`;

export async function costOf(reader: Reader, of: 'lead_id' | 'dialogue_id', id: number): Promise<Sums> {
  const { rows } = await sql<Sums>`select ${sql.raw(SUMS)} from llm_runs r where ${sql.ref(of)} = ${id}`.execute(
    reader,
  );
  const [row] = rows;
  if (!row) throw new Error('Sums are always one row');
  return row;
}

export async function spendingOf(reader: Reader, companyId: number): Promise<Spending> {
  const days = await sql<{ day: string }>`
    select ${FIRST_DAY} + n as day from generate_series(0, ${DAYS - 1}::int) n order by n`.execute(reader);
  const items = await sql<Spent>`
    select day, purpose, vendor, model, sum(runs) as runs, sum(unpriced) as unpriced, sum(input_tokens) as input_tokens,
           sum(output_tokens) as output_tokens, sum(cost) as cost
      from llm_spending where company_id = ${companyId} and day >= ${FIRST_DAY}
     group by day, purpose, vendor, model having sum(runs) > 0 or sum(cost) <> 0 order by day, sum(cost) desc, purpose, vendor, model`.execute(
    reader,
  );
  return { days: days.rows.map((row) => row.day), items: items.rows };
}

/** Read what a product's models cost today, and in the last 30 UTC days. */
export async function productCosts(
  reader: Reader,
  productId: number,
): Promise<{ cost_today: number; cost_30_days: number }> {
  const { rows } = await sql<{ cost_today: number; cost_30_days: number }>`
    select coalesce(sum(s.cost) filter (where s.day = (domain_now() at time zone 'UTC')::date), 0) as cost_today,
           coalesce(sum(s.cost), 0) as cost_30_days
      from products p join llm_spending s on s.company_id = p.company_id and s.product_id = p.id
     where p.id = ${productId} and s.day >= ${FIRST_DAY}`.execute(reader);
  return rows[0] ?? { cost_today: 0, cost_30_days: 0 };
}
