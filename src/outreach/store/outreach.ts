/** SQL of the plan: when each lead is evaluated, and what was decided. */
import { sql } from 'kysely';
import type pg from 'pg';
import { IN_SIGHT, msUntil } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { idList, planOnce } from '../../platform/statements.ts';
import type { PlanResult } from '../planResult.ts';
import type { Reason } from '../reason.ts';

/** Leads that an instance acts for. They stay due until it releases them. */
export const LEADS: Claimable<{ lead_id: number }> = { table: 'outreach', key: { lead_id: 'bigint' } };

const IS_DUE = sql`
  o.next_at <= domain_now() and (o.retry_at is null or o.retry_at <= clock_timestamp()) and ${isUnclaimed('o')}`;

/** Leads to be evaluated, and products to be replanned. */
export const LEADS_DUE_IN = sql<number | null>`
  case when exists (select 1 from outreach_products where replan) then 0
       else (select ${msUntil('o.next_at', 'o.retry_at')} from outreach o
              where o.next_at <= domain_now() + ${IN_SIGHT} and (o.retry_at is null or o.retry_at <= clock_timestamp() + ${IN_SIGHT})
                and ${isUnclaimed('o')}
              order by o.next_at limit 1) end`;

/**
 * Lock and return leads that are due, of those given or at most so many, so that no other worker evaluates them
 * meanwhile, and whether settings changed.
 */
export async function lockDueLeads(
  tx: Tx,
  which: readonly number[] | number,
): Promise<{ replan: boolean; ids: readonly number[] }> {
  const asked =
    typeof which === 'number'
      ? sql`${IS_DUE} order by next_at limit ${which}`
      : sql`${IS_DUE} and o.lead_id = any(${idList(which)}) order by next_at`;
  const { rows } = await sql<{ replan: boolean; ids: number[] | null }>`
    with due as materialized (
      select lead_id from outreach o where ${asked} for update skip locked
    )
    select exists (select 1 from outreach_products where replan) as replan, (select json_agg(lead_id) from due) as ids, ${planOnce}`.execute(
    tx,
  );
  return { replan: rows[0]?.replan ?? false, ids: rows[0]?.ids ?? [] };
}

const MAX_EVALUATION_PAUSE_SECONDS = 3600;

/** Defer a lead that cannot be evaluated; it leaves its queue. The pause doubles, up to an hour (real clock). */
export async function deferEvaluation(
  reader: Reader,
  { leadId, reason, pauseSeconds }: { leadId: number; reason: Reason; pauseSeconds: number },
): Promise<void> {
  await sql`
    update outreach
       set attempts = attempts + 1, next_at = coalesce(next_at, domain_now()), queue_type = null, queued_at = null,
           reason = ${JSON.stringify(reason)}::jsonb,
           retry_at = clock_timestamp() + make_interval(
             secs => least(${MAX_EVALUATION_PAUSE_SECONDS}::float8, ${pauseSeconds}::float8 * 2 ^ least(attempts, 20)))
     where lead_id = ${leadId}`.execute(reader);
}

/** Save what was decided about leads. A claim that something was done under before has ended. */
export async function savePlanResults(tx: Tx, results: readonly PlanResult[]): Promise<void> {
  if (results.length === 0) return;
  const column = <T>(pick: (one: PlanResult) => T) => results.map(pick);
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);
  await sql`
    update outreach o
       set ${release()}, next_at = to_timestamp(v.next_at), retry_at = null, queue_type = v.queue_type, queued_at = to_timestamp(v.queued_at),
           next_action = v.next_action, next_action_at = to_timestamp(v.next_action_at), reason = v.reason::jsonb
      from unnest(${column((one) => one.leadId)}::bigint[], ${column((one) => seconds(one.nextAt))}::float8[],
                  ${column((one) => one.queue?.type ?? null)}::text[], ${column((one) => seconds(one.queue?.dueAt ?? null))}::float8[],
                  ${column((one) => one.nextAction)}::text[], ${column((one) => seconds(one.nextActionAt))}::float8[],
                  ${column((one) => JSON.stringify(one.reason))}::text[])
           as v (lead_id, next_at, queue_type, queued_at, next_action, next_action_at, reason)
     where o.lead_id = v.lead_id`.execute(tx);
}

/** What a lead's plan row `o` says, whatever its lease. */
export const PLAN_STATE = sql<string>`md5((to_jsonb(o) - 'claimed_until')::text)`;

/** Return a token of a lead's plan row that changes with the row, and its failed attempts. */
export async function readPlanState(reader: Reader, leadId: number): Promise<{ state: string; attempts: number }> {
  const { rows } = await sql<{ state: string; attempts: number }>`
    select ${PLAN_STATE} as state, o.attempts from outreach o where lead_id = ${leadId}`.execute(reader);
  return rows[0] ?? { state: '', attempts: 0 };
}

/** A lead for which nothing could be sent. */
export interface FailedLead {
  readonly leadId: number;
  readonly reason: Reason;
  /** It is tried again after so many seconds (real clock); null: only once a fact or setting changes. */
  readonly pauseSeconds: number | null;
  /** Do nothing if the plan's row has changed since: what has changed is evaluated. */
  readonly state?: string | null;
}

/** Record failures: the leads leave their queues. */
export async function recordFailures(tx: Tx, failed: readonly FailedLead[]): Promise<void> {
  if (failed.length === 0) return;
  await sql`
    update outreach o set attempts = attempts + 1, queue_type = null, queued_at = null, reason = f.reason,
           next_at = case when f."pauseSeconds" is not null then domain_now() end,
           retry_at = clock_timestamp() + make_interval(secs => f."pauseSeconds")
      from jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) as f ("leadId" bigint, reason jsonb, "pauseSeconds" float8, state text)
     where o.lead_id = f."leadId" and (f.state is null or ${PLAN_STATE} = f.state)`.execute(tx);
}

/** Claim leads that something is done for now, so that nobody evaluates them meanwhile. */
export async function claimLeads(tx: Tx, leadIds: readonly number[], claimant: Claimant): Promise<void> {
  if (leadIds.length === 0) return;
  await sql`update outreach set ${claim(claimant)} where lead_id = any(${[...leadIds]}::bigint[])`.execute(tx);
}

/** Release leads: they are due. */
export async function releaseLeads(reader: Reader, leadIds: readonly number[], instanceId: string): Promise<void> {
  await sql`
    update outreach set ${release()} where lead_id = any(${[...leadIds]}::bigint[]) and claimed_by = ${instanceId}`.execute(
    reader,
  );
}

/**
 * Release leads for which something was done. One for which that changed nothing is evaluated again later: its next
 * evaluation is still where the claim has put it.
 */
export async function releaseDoneLeads(reader: Reader, leadIds: readonly number[], instanceId: string): Promise<void> {
  await sql`
    update outreach set ${release()},
           next_at = case when next_at = next_action_at then domain_now() + interval '5 minutes' else next_at end
     where lead_id = any(${[...leadIds]}::bigint[]) and claimed_by = ${instanceId}`.execute(reader);
}

/** Lock leads, then their dialogues, until the transaction ends. Returns the dialogues. */
export async function lockDialoguesOfLeads(
  tx: Tx,
  leadIds: readonly number[],
): Promise<{ id: number; product_id: number; contact_id: number; turn: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number; contact_id: number; turn: number }>`
    with locked_leads as materialized (
      select id from leads where id = any(${[...leadIds]}::bigint[]) order by id for share
    )
    select d.id, d.product_id, d.contact_id, d.turn from dialogues d join contacts c on c.id = d.contact_id
     where c.lead_id in (select id from locked_leads) and (select count(*) from locked_leads) >= 0 order by d.id for update of d`.execute(
    tx,
  );
  return rows;
}

/**
 * Lock and return one product whose settings changed, or undefined. Skips locked rows, so two instances take two
 * products.
 */
export async function lockProductToReplan(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ product_id: number }>`
    select product_id from outreach_products where replan limit 1 for update skip locked`.execute(tx);
  return rows[0]?.product_id;
}

/** Leads made due by one statement: all leads of a large product would take longer than a statement may. */
const REPLAN_BATCH = 10_000;

/** Make every lead of the product that outreach may concern due again. */
export async function replanLeads(tx: Tx, productId: number, batchSize = REPLAN_BATCH): Promise<void> {
  for (let after: number | null = 0; after !== null; ) after = await makeBatchDue(tx, { productId, after, batchSize });
  await sql`update outreach_products set replan = false, next_at = domain_now() where product_id = ${productId}`.execute(
    tx,
  );
}

/** Make the next leads of a product due, in order of their ids. Returns the last one; null: there are no more. */
async function makeBatchDue(
  tx: Tx,
  { productId, after, batchSize }: { productId: number; after: number; batchSize: number },
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    with batch as materialized (
      select id from leads where product_id = ${productId} and id > ${after} and is_active
                             and stage in ('initial', 'started', 'ongoing', 'pending')
       order by id limit ${batchSize}
    ), due as (
      update outreach set next_at = domain_now(), retry_at = null, attempts = 0 where lead_id in (select id from batch)
    )
    select max(id) as last from batch`.execute(tx);
  return rows[0]?.last ?? null;
}

/** Have all leads that outreach may concern planned again. */
export async function planAllProducts(pool: pg.Pool): Promise<void> {
  await pool.query('update outreach_products set replan = true where not replan');
}

/**
 * Return whether processes of another version run now, and whether one has ended within the hour that ran beside a process of
 * this version.
 */
export async function readOtherVersions(
  pool: pg.Pool,
  instanceId: string,
): Promise<{ isBeside: boolean; wasBeside: boolean }> {
  const { rows } = await pool.query<{ isBeside: boolean; wasBeside: boolean }>(
    `select coalesce(bool_or(o.ended_at is null), false) as "isBeside",
            coalesce(bool_or(o.ended_at > clock_timestamp() - interval '1 hour'
                             and o.ended_at > (select min(v.started_at) from nodes v where v.version = me.version)), false) as "wasBeside"
       from nodes me join nodes o on o.version <> me.version where me.instance_id = $1`,
    [instanceId],
  );
  return rows[0] ?? { isBeside: false, wasBeside: false };
}
