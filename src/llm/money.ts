/** Whether a company may still spend on models today. Asked before every call of one, here and nowhere else. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';
import { type Budget, type Price, WARNING_SHARE } from './moneyContract.ts';

/** What a paused answer says, with the limit after it. */
export const BUDGET_SPENT = 'Today’s budget for models is spent';

const TODAY = sql`(domain_now() at time zone 'UTC')::date`;

export async function budgetOf(reader: Reader, companyId: number): Promise<Budget> {
  const { rows } = await sql<{ limit: number | null; spent: number }>`
    select c.llm_daily_budget as limit, coalesce(s.cost, 0) as spent
      from companies c left join llm_spending s on s.company_id = c.id and s.day = ${TODAY}
     where c.id = ${companyId}`.execute(reader);
  const days = await sql<{ day: string; cost: number }>`
    select day, cost from llm_spending where company_id = ${companyId} order by day desc limit 30`.execute(reader);
  const { limit = null, spent = 0 } = rows[0] ?? {};
  return { usd_per_day: limit, spent_today: spent, state: stateOf(limit, spent), days: days.rows };
}

function stateOf(limit: number | null, spent: number): Budget['state'] {
  if (limit === null) return 'none';
  if (spent >= limit) return 'spent';
  return spent >= limit * WARNING_SHARE ? 'warning' : 'fine';
}

/** Why a company may not spend now, or null when it may. */
export async function moneyObstacle(reader: Reader, companyId: number): Promise<string | null> {
  const { rows } = await sql<{ limit: number | null }>`
    select c.llm_daily_budget as limit
      from companies c left join llm_spending s on s.company_id = c.id and s.day = ${TODAY}
     where c.id = ${companyId} and coalesce(s.cost, 0) >= c.llm_daily_budget`.execute(reader);
  const limit = rows[0]?.limit ?? null;
  return limit === null ? null : `${BUDGET_SPENT} ($${limit.toFixed(2)})`;
}

export async function setBudget(tx: Tx, companyId: number, limit: number | null): Promise<void> {
  await sql`update companies set llm_daily_budget = ${limit} where id = ${companyId}`.execute(tx);
}

export async function pricesOf(reader: Reader): Promise<Price[]> {
  const { rows } = await sql<Price>`
    select vendor, model, input_per_million, output_per_million from llm_prices order by vendor, model`.execute(reader);
  return rows;
}

/** The price of a run: of the model, or of the longest name that its name begins with. `r`: the run's columns. */
export const COST = sql`(
  select (r.token_input_usage * p.input_per_million + r.token_output_usage * p.output_per_million) / 1000000
    from llm_prices p
   where p.vendor = r.model_vendor and starts_with(r.model_name, p.model)
   order by length(p.model) desc limit 1)`;

/** How far back runs without a price get one when it becomes known. */
const DAYS_BACK = 31;

/** Replaces the prices. What ran lately without one is priced, and counts as spent on its day. */
export async function replacePrices(tx: Tx, prices: readonly Price[]): Promise<void> {
  await sql`delete from llm_prices`.execute(tx);
  await sql`
    insert into llm_prices (vendor, model, input_per_million, output_per_million)
    select vendor, model, input_per_million, output_per_million
      from jsonb_to_recordset(${JSON.stringify(prices)}::jsonb)
           as t (vendor text, model text, input_per_million numeric, output_per_million numeric)`.execute(tx);
  await sql`
    with priced as (
      update llm_runs r set cost = ${COST}
       where r.cost is null and r.token_input_usage is not null and r.token_output_usage is not null
         and r.created_at > domain_now() - make_interval(days => ${DAYS_BACK})
      returning r.product_id, r.created_at, r.cost
    )
    insert into llm_spending (company_id, day, cost)
    select p.company_id, (priced.created_at at time zone 'UTC')::date, sum(priced.cost)
      from priced join products p on p.id = priced.product_id
     where priced.cost is not null group by 1, 2
    on conflict (company_id, day) do update set cost = llm_spending.cost + excluded.cost`.execute(tx);
}
