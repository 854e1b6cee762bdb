/** What companies spend on models: prices, costs, and their sums by day. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import { commonRefusals, refuse } from '../../platform/refuse.ts';
import { type Budget, type Price, WARNING_SHARE } from '../budgetContract.ts';

const TODAY_TEXT = `(domain_now() at time zone 'UTC')::date`;
/** The UTC day, of which a budget is spent. */
export const TODAY = sql.raw(TODAY_TEXT);
/** Today's spending of company `c`. */
const SPENT_TODAY_TEXT = `(
  select coalesce(sum(s.cost), 0) from llm_spending s where s.company_id = c.id and s.day = ${TODAY_TEXT})`;
const SPENT_TODAY = sql.raw<number>(SPENT_TODAY_TEXT);

export async function budgetOf(reader: Reader, companyId: number): Promise<Budget> {
  const { rows } = await sql<{ limit: number | null; spent: number; reserved: number; today: string }>`
    select c.llm_daily_budget as limit, ${SPENT_TODAY} as spent, ${TODAY} as today,
           (select coalesce(sum(r.amount), 0) from llm_reservations r where r.company_id = c.id and not r.is_lost) as reserved
      from companies c where c.id = ${companyId}`.execute(reader);
  const days = await sql<{ day: string; cost: number }>`
    select day, sum(cost) as cost from llm_spending where company_id = ${companyId} and cost > 0
     group by day order by day desc limit 30`.execute(reader);
  const [row] = rows;
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'company' });
  const { limit, spent, reserved, today } = row;
  return { usd_per_day: limit, spent_today: spent, reserved, today, state: stateOf(limit, spent), days: days.rows };
}

function stateOf(limit: number | null, spent: number): Budget['state'] {
  if (limit === null) return 'none';
  if (spent >= limit) return 'spent';
  return spent >= limit * WARNING_SHARE ? 'warning' : 'fine';
}

/** True if company `c` has spent the share of its budget from which a warning is shown. */
export const IS_BUDGET_NEARLY_SPENT = `coalesce(${SPENT_TODAY_TEXT} >= c.llm_daily_budget * ${WARNING_SHARE}, false)`;

export async function setBudget(tx: Tx, companyId: number, limit: number | null): Promise<void> {
  await sql`update companies set llm_daily_budget = ${limit} where id = ${companyId}`.execute(tx);
}

export async function pricesOf(reader: Reader): Promise<Price[]> {
  const { rows } = await sql<Price>`
    select vendor, model, input_per_million, output_per_million from llm_prices order by vendor, model`.execute(reader);
  return rows;
}

/** The price `p` of a model: the one with the longest name that is a prefix of the model's name. */
const PRICE_OF = (vendor: RawBuilder<unknown>, model: RawBuilder<unknown>) => sql`
    from llm_prices p where p.vendor = ${vendor} and starts_with(${model}, p.model) order by length(p.model) desc limit 1`;

/** Prices of a vendor without any, US dollars for a million tokens: those of large models. */
const UNKNOWN_PRICE = { input: 5, output: 25 };

/** A table of one price: the model's, else the vendor's dearest. */
export const assumedPrice = (vendor: RawBuilder<unknown>, model: RawBuilder<unknown>) => sql`(
  select input_per_million, output_per_million from (
    (select 1 as place, p.input_per_million, p.output_per_million ${PRICE_OF(vendor, model)}) union all
    (select 2, p.input_per_million, p.output_per_million from llm_prices p where p.vendor = ${vendor}
      order by p.output_per_million desc, p.input_per_million desc limit 1) union all
    select 3, ${UNKNOWN_PRICE.input}::numeric, ${UNKNOWN_PRICE.output}::numeric) as known
   order by place limit 1)`;

/** The cost of a run at the price of its model. `r`: the run's columns. */
export const COST = sql`(
  select (r.token_input_usage * p.input_per_million + r.token_output_usage * p.output_per_million) * 0.000001
  ${PRICE_OF(sql`r.model_vendor`, sql`r.model_name`)})`;

/** What a million tokens of a model cost, US dollars. */
export type ModelPrice = Pick<Price, 'input_per_million' | 'output_per_million'>;

/** Read the price of a model; undefined if it is not known. */
export async function priceOfModel(
  reader: Reader,
  { vendor, model }: { vendor: string; model: string },
): Promise<ModelPrice | undefined> {
  const { rows } = await sql<ModelPrice>`
    select p.input_per_million, p.output_per_million ${PRICE_OF(sql`${vendor}`, sql`${model}::text`)}`.execute(reader);
  return rows[0];
}

/** How many days back unpriced runs are priced when a price is added. */
const REPRICED_DAYS = 31;

/** The keys under which a run is counted, from the columns of `r` and its product `p`. */
const SPENDING_KEYS = sql`
  p.company_id, (r.created_at at time zone 'UTC')::date as day, r.product_id, r.purpose, r.model_vendor as vendor,
  r.model_name as model`;
/** Aggregates over runs `r`: number, number without a known price, tokens in and out, cost. */
export const SUMS = `
  count(*) as runs, count(*) filter (where r.cost is null and r.token_input_usage is not null) as unpriced,
  coalesce(sum(r.token_input_usage), 0) as input_tokens, coalesce(sum(r.token_output_usage), 0) as output_tokens,
  coalesce(sum(r.cost), 0) as cost`;

/** Add rows of spending, one of each key, in the order of its keys. `rows`: a query with its columns. */
export const addSpending = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into llm_spending (company_id, day, product_id, purpose, vendor, model,
                            runs, unpriced, input_tokens, output_tokens, cost)
  ${rows}
  on conflict (company_id, day, product_id, purpose, vendor, model) do update set
    runs = llm_spending.runs + excluded.runs, unpriced = llm_spending.unpriced + excluded.unpriced,
    input_tokens = llm_spending.input_tokens + excluded.input_tokens,
    output_tokens = llm_spending.output_tokens + excluded.output_tokens,
    cost = llm_spending.cost + excluded.cost`;

/** Add runs to the spending of their companies. `runs`: a table or a common table expression with the runs' columns. */
export const countRuns = (runs: string): RawBuilder<unknown> =>
  addSpending(sql`
    select ${SPENDING_KEYS}, ${sql.raw(SUMS)} from ${sql.raw(runs)} r join products p on p.id = r.product_id
     group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`);

/** Replace the prices. Recent runs without a price are priced, and count as spent on their day. */
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
       where r.cost is null and r.token_input_usage is not null
         and r.created_at > domain_now() - make_interval(days => ${REPRICED_DAYS}) and ${COST} is not null
      returning r.product_id, r.created_at, r.purpose, r.model_vendor, r.model_name, r.cost
    )
    insert into llm_spending (company_id, day, product_id, purpose, vendor, model, runs, cost)
    select ${SPENDING_KEYS}, count(*), sum(r.cost)
      from priced r join products p on p.id = r.product_id group by 1, 2, 3, 4, 5, 6
    on conflict (company_id, day, product_id, purpose, vendor, model) do update set
      cost = llm_spending.cost + excluded.cost,
      unpriced = greatest(llm_spending.unpriced - excluded.runs, 0)`.execute(tx);
}

/** Price and count runs that were inserted as rows, such as those of a new demo. */
export async function countStoredRuns(tx: Tx): Promise<void> {
  await sql`update llm_runs r set cost = ${COST} where r.cost is null and r.token_input_usage is not null`.execute(tx);
  await countRuns('llm_runs').execute(tx);
}
