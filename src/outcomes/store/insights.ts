/** SQL of refusals, response times and spending: the rows of the ledger that match, grouped by what facts say of them. */
import type pg from 'pg';
import { type Listing, readGroups } from '../../platform/http/listQuery.ts';
import type { RefusalGroup } from '../insightContract.ts';
import { FIRST_RESPONSE, HANDED_OVER, MODEL_OF_RUN, OPTED_OUT, OPTED_OUT_OR_REFUSED, REFUSED } from './facts.ts';
import { type listFilter, OUTCOME_LISTING } from './outcomes.ts';

type Query = ReturnType<typeof listFilter>;

/** The rows that meet a condition, from a table with joins. */
const rowsWith = (condition: string, from: string = OUTCOME_LISTING.from): Listing => ({
  ...OUTCOME_LISTING,
  from,
  where: `${OUTCOME_LISTING.where} and ${condition}`,
});

export interface RefusalCount {
  readonly refusal: RefusalGroup['refusal'];
  readonly ended_by: string | null;
  readonly reason: string | null;
  readonly count: number;
  /** The newest attempts of the group, by the ids of their rows. */
  readonly newest: readonly number[];
  /** Of all groups together, those beyond the limit included. */
  readonly groups: number;
  readonly refusals: number;
}

/** Count refusals by who set the stage and by reason, the largest groups first. */
export function countRefusals(
  pool: pg.Pool,
  query: Query,
  { limit, examples }: { readonly limit: number; readonly examples: number },
): Promise<RefusalCount[]> {
  return readGroups<RefusalCount>(pool, {
    listing: rowsWith(OPTED_OUT_OR_REFUSED),
    query,
    columns: {
      refusal: `case when ${OPTED_OUT} then 'opted_out' else 'refused' end`,
      ended_by: `case when ${REFUSED} then c.ended_by end`,
      reason: `case when ${REFUSED} then t.refusal_reason end`,
      newest: `to_jsonb((array_agg(t.id order by t.started_at desc, t.id desc))[1:${examples}])`,
      groups: '(count(*) over ())::int',
      refusals: '(sum(count(*)) over ())::int',
    },
    by: ['refusal', 'ended_by', 'reason'],
    limit,
  });
}

export interface RefusalExample {
  readonly id: number;
  readonly lead_id: number;
  readonly lead_name: string;
  readonly text: string | null;
}

/** The reason as it was stored, and the lead's last words before an opt-out. */
const REASON_TEXT = `(select nullif(left(btrim(e.event_data->>'reason'), 2000), '') from lead_events e
  where e.lead_id = t.lead_id and e.attempt = t.attempt and e.event_type = 'stage_changed' and e.event_data->>'to' = 'refused'
  order by e.id desc limit 1)`;
const LAST_WORDS = `(select nullif(left(btrim(m.message), 2000), '') from contacts c join messages m on m.contact_id = c.id and m.attempt = t.attempt
  where c.lead_id = t.lead_id and m.side = 'user' and m.kind <> 'system' and m.created_at <= t.opted_out_at and m.removed_at is null
  order by m.created_at desc, m.id desc limit 1)`;

/** Read what examples of refusals show, by the ids of their rows. */
export async function readRefusalExamples(pool: pg.Pool, ids: readonly number[]): Promise<Map<number, RefusalExample>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<RefusalExample>(
    `select t.id, t.lead_id, l.name as lead_name, case when ${OPTED_OUT} then ${LAST_WORDS} else ${REASON_TEXT} end as text
       from outcomes t join leads l on l.id = t.lead_id where t.id = any($1::bigint[])`,
    [[...ids]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ResponseGroup {
  readonly is_answered: boolean;
  /** Login; null where no person has written, and for messages from a phone. */
  readonly operator: string | null;
  readonly count: number;
  /** How long each attempt waited, in seconds; null where no person has written. */
  readonly seconds: readonly (number | null)[];
}

/** Read how long attempts waited after a hand-over, in groups by who wrote first. */
export function readResponses(pool: pg.Pool, query: Query): Promise<ResponseGroup[]> {
  return readGroups<ResponseGroup>(pool, {
    listing: rowsWith(
      HANDED_OVER,
      `${OUTCOME_LISTING.from} left join lateral (select m.operator, coalesce(m.sent_at, m.created_at) as at from ${FIRST_RESPONSE}) as f on true`,
    ),
    query,
    columns: {
      is_answered: 'f.at is not null',
      operator: 'f.operator',
      seconds: "array_agg(date_part('epoch', f.at - t.handed_over_at))",
    },
    by: ['is_answered', 'operator'],
  });
}

export interface RunGroup {
  /** The place of the period among `starts`, from 1. */
  readonly period: number;
  readonly purpose: string;
  /** `VENDOR/MODEL` */
  readonly model: string;
  /** How many runs. */
  readonly count: number;
  readonly unpriced: number;
  readonly cost: number;
}

/** Return an expression of the period in which a row began; `starts` are instants, ascending. */
export const periodOf =
  (starts: readonly string[]) =>
  (bind: (value: unknown) => string): string =>
    `width_bucket(t.started_at, ${bind([...starts])}::timestamptz[])`;

/** Add up the runs of attempts by the period in which the attempt began, by purpose and by model. */
export function sumRuns(pool: pg.Pool, query: Query, starts: readonly string[]): Promise<RunGroup[]> {
  return readGroups<RunGroup>(pool, {
    listing: {
      ...OUTCOME_LISTING,
      from: `${OUTCOME_LISTING.from} join llm_runs r on r.lead_id = t.lead_id and r.attempt = t.attempt`,
    },
    query,
    columns: {
      period: periodOf(starts),
      purpose: 'r.purpose',
      model: MODEL_OF_RUN,
      unpriced: 'count(*) filter (where r.cost is null and r.token_input_usage is not null)',
      cost: 'coalesce(sum(r.cost), 0)::float8',
    },
    by: ['period', 'purpose', 'model'],
  });
}
