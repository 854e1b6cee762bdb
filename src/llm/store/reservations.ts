/** SQL of the budget that calls of models have reserved. Companies without a budget have no such rows. */
import { type RawBuilder, sql } from 'kysely';
import { type DueIn, dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader } from '../../platform/db.ts';
import { type Claimable, type Claimant, isUnclaimed } from '../../platform/lease.ts';
import { idList } from '../../platform/statements.ts';
import { addSpending, assumedPrice } from './budget.ts';

/** Reservations of calls that an instance makes. */
export const RESERVATIONS: Claimable<{ id: number }> = { table: 'llm_reservations', key: { id: 'bigint' } };

/** A request that is to be made, and what its call has used so far. */
export interface ReservedRequest {
  /** The call's reservation; null: it has none yet. */
  readonly id: number | null;
  readonly companyId: number;
  readonly productId: number;
  readonly vendor: string;
  readonly model: string;
  readonly used: { readonly inputTokens: number; readonly outputTokens: number };
  readonly next: { readonly inputTokens: number; readonly outputTokens: number };
}

/** `id`: the call's reservation from now on. `daily_budget`: US dollars. */
export interface Reserved {
  readonly id: number | null;
  readonly outcome: 'reserved' | 'busy' | 'spent' | 'unlimited';
  readonly daily_budget: number | null;
}

/** Reserve a request, in a transaction of its own: it locks the company's row for a moment. */
export async function reserveRequest(
  reader: Reader,
  { id, companyId, productId, vendor, model, used, next }: ReservedRequest,
  { instanceId, config }: Claimant,
): Promise<Reserved> {
  const cost = (tokens: ReservedRequest['used']) =>
    sql`(${tokens.inputTokens}::bigint * p.input_per_million + ${tokens.outputTokens}::bigint * p.output_per_million) * 0.000001`;
  const { rows } = await sql<Reserved>`
    select r.* from ${assumedPrice(sql`${vendor}::text`, sql`${model}::text`)} p cross join lateral reserve_llm_budget(
      ${id}::bigint, ${companyId}::bigint, ${productId}::bigint, ${vendor}::text, ${model}::text,
      ${cost(used)}, ${cost(next)}, ${instanceId}::uuid, ${config.leaseSeconds}::float8) r`.execute(reader);
  const [reserved] = rows;
  if (!reserved) throw new Error('A reservation has one outcome');
  return reserved;
}

/**
 * Common table expressions that end reservations, with the statement that counts what their calls have cost. What was
 * counted for a call that was given up for lost is taken back.
 */
export const settled = (ids: readonly number[]): RawBuilder<unknown> => sql`
  settled as (
    delete from llm_reservations where id = any(${idList(ids)}) returning *
  ), found_again as (
    update llm_spending s set cost = s.cost - f.amount
      from (select company_id, product_id, vendor, model, (created_at at time zone 'UTC')::date as day, sum(amount) as amount
              from settled where is_lost group by 1, 2, 3, 4, 5) f
     where s.company_id = f.company_id and s.day = f.day and s.product_id = f.product_id and s.purpose = 'lost'
       and s.vendor = f.vendor and s.model = f.model
  )`;

const IS_LOST = sql`not r.is_lost and ${isUnclaimed('r')}`;

export const LOST_RESERVATIONS_DUE: DueIn = dueIf(sql`exists (select from llm_reservations r where ${IS_LOST})`);

/** Count what was reserved for calls whose process has ended as spent: the vendor may have billed them. */
export async function writeOffLost(reader: Reader): Promise<void> {
  await sql`
    with lost as materialized (
      select r.id from llm_reservations r where ${IS_LOST} order by r.id for update skip locked
    ), marked as (
      update llm_reservations r set is_lost = true, claimed_by = null, claimed_until = null from lost where r.id = lost.id returning r.*
    )
    ${addSpending(sql`
      select company_id, (created_at at time zone 'UTC')::date, product_id, 'lost', vendor, model, 0, 0, 0, 0, sum(amount)
        from marked group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`)}`.execute(reader);
}

/** Delete lost reservations whose calls will not be stored any more. They stay counted. */
export async function deleteOldReservations(reader: Reader): Promise<void> {
  await sql`delete from llm_reservations where is_lost and created_at < domain_now() - interval '7 days'`.execute(
    reader,
  );
}
