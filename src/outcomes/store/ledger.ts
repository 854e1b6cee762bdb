/** SQL of the ledger of outcomes: what it lacks is counted, and all of it compared with a recount. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { DueIn } from '../../jobs/store/dueWork.ts';
import type { Tx } from '../../platform/db.ts';
import { type Reached, reachable } from '../outcomeContract.ts';
import { bitOf } from './facts.ts';

/** A row that the recount has otherwise: the fields that differ, from the ledger and from the recount. */
export interface LedgerDifference {
  readonly lead_id: number;
  readonly attempt: number;
  readonly ledger: Readonly<Record<string, unknown>> | null;
  readonly recount: Readonly<Record<string, unknown>> | null;
}

/** Leads that are counted in one statement. The planner cannot tell how many there are: the time grows with their square. */
const LEADS = 200;

/** The outcomes by their names among what may be reached. */
const OUTCOMES: Readonly<Partial<Record<Reached, string>>> = {
  success: 'success',
  refused: 'refused',
  ignored: 'ignore',
  failed: 'failed',
};

/** What the facts `f` of an attempt have reached, as bits. */
const REACHED = reachable
  .map((name) => {
    const outcome = OUTCOMES[name];
    const condition = outcome ? `f.outcome is not distinct from '${outcome}'` : `f.${name}_at is not null`;
    return `(${condition})::int * ${bitOf(name)}`;
  })
  .join(' + ');

const secondsBetween = (from: string, to: string): string =>
  `case when f.${to} > f.${from} then date_part('epoch', f.${to} - f.${from})::int end`;

/** Both sides as JSON; a row of either that the other lacks differs in everything. Its origin and course have to say what it says. */
const DIFFERENCES = `
  with ledger as (
    select o.lead_id, o.attempt, (to_jsonb(o) || case when o.started_at is null then '{}' else to_jsonb(r) || to_jsonb(c) end)
             - '{id,key,product_id,is_stale,origin_id,course_id}'::text[]
             || jsonb_build_object('keys', o.started_at is null or (r.key, c.key) is not distinct from (outcome_origin_key(o), outcome_course_key(o))) as row
      from outcomes o left join outcome_origins r on r.id = o.origin_id left join outcome_courses c on c.id = o.course_id
     where o.lead_id = any($1::bigint[]) and not o.is_stale
  ), recount as (
    select lead_id, attempt, to_jsonb(f) || jsonb_build_object('keys', true, 'reached', ${REACHED},
             'seconds_to_answer', ${secondsBetween('written_at', 'answered_at')}, 'seconds_to_reply', ${secondsBetween('answered_at', 'replied_at')}) as row
      from outcome_facts($1::bigint[]) f
     where not exists (select from outcomes o where o.lead_id = f.lead_id and o.is_stale)
  ), steps as (
    select lead_id, attempt, to_jsonb(s) as row from outcome_steps s where lead_id = any($1::bigint[])
  ), counted_steps as (
    select lead_id, attempt, to_jsonb(f) as row from follow_up_facts($1::bigint[]) f
     where not exists (select from outcomes o where o.lead_id = f.lead_id and o.is_stale)
  ), pairs as (
    select lead_id, attempt, l.row as ledger, r.row as recount from ledger l full join recount r using (lead_id, attempt)
    union all
    select coalesce(s.lead_id, c.lead_id), coalesce(s.attempt, c.attempt), s.row, c.row
      from steps s full join counted_steps c on s.row->'message_id' = c.row->'message_id'
  )
  select lead_id, attempt,
         (select jsonb_object_agg(key, value) from jsonb_each(ledger) where value is distinct from recount->key) as ledger,
         (select jsonb_object_agg(key, value) from jsonb_each(recount) where value is distinct from ledger->key) as recount
    from pairs where ledger is distinct from recount order by lead_id, attempt`;

/** Return the differences of all leads, or of the first ones if there are more than `limit`. Rows not yet counted are left out. */
export async function findLedgerDifferences(
  pool: pg.Pool | pg.PoolClient,
  limit = 100,
): Promise<{ readonly differences: LedgerDifference[]; readonly rows: number }> {
  const differences: LedgerDifference[] = [];
  let last = 0;
  let rows = 0;
  while (differences.length < limit) {
    const { rows: leads } = await pool.query<{ id: number; attempt: number }>(
      'select id, attempt from leads where id > $1 order by id limit $2',
      [last, LEADS],
    );
    if (leads.length === 0) break;
    last = leads.at(-1)?.id ?? last;
    rows += leads.reduce((sum, { attempt }) => sum + attempt, 0);
    const found = await pool.query<LedgerDifference>(DIFFERENCES, [leads.map(({ id }) => id)]);
    differences.push(...found.rows);
  }
  return { differences: differences.slice(0, limit), rows };
}

/** There is history to be counted, or nothing is due. */
export const HISTORY_DUE_IN: DueIn = sql<
  number | null
>`case when exists (select from outcomes where is_stale) then 0 end`;

/** Count the history of up to `limit` leads that were stored before there was a ledger, or past it. Returns how many. */
export async function countHistory(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from leads where id in (select lead_id from outcomes where is_stale order by lead_id limit ${limit})
     order by id for update skip locked`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await sql`
    with numbered as materialized (select number_attempts(id) from unnest(${ids}::bigint[]) as id)
    update outcomes set is_stale = false where lead_id = any(${ids}::bigint[]) and (select count(*) from numbered) >= 0`.execute(
    tx,
  );
  await sql`select recount_outcomes(${ids}::bigint[])`.execute(tx);
  return ids.length;
}
