/** SQL of samples: which are claimed, what their calls have cost, and what became of them. */
import { sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import { IS_BUDGET_NEARLY_SPENT } from '../../llm/store/withinBudget.ts';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import type { WaitingModel } from '../room.ts';
import type { Json, PlannedSample, Violation, Work } from '../run.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    studio_samples: Row<'studio_samples', { arm: PlannedSample['arm']; violations: Violation[] }>;
  }
}

/** Samples that an instance makes. */
export const SAMPLES: Claimable<{ id: number }> = { table: 'studio_samples', key: { id: 'bigint' } };

/** A planned sample, with the model that makes it and what one of its calls reserves, US dollars. */
export interface PricedSample extends Pick<PlannedSample, 'arm' | 'repeat'> {
  readonly model: { readonly vendor: string; readonly model: string };
  readonly callCost: number;
}

/** Store samples to be made. One that exists already is left as it is. */
export async function insertSamples(
  tx: Tx,
  runId: number,
  samples: readonly (PricedSample & { readonly subjectId: number })[],
): Promise<void> {
  const planned = samples.map(({ model, ...one }) => ({ ...one, ...model }));
  await sql`
    insert into studio_samples (run_id, subject_id, arm, repeat, model_vendor, model_name, call_cost)
    select ${runId}, g."subjectId", g.arm, g.repeat, g.vendor, g.model, g."callCost"
      from jsonb_to_recordset(${JSON.stringify(planned)}::jsonb)
             as g ("subjectId" bigint, arm text, repeat int, vendor text, model text, "callCost" numeric)
     order by g.repeat, g."subjectId", g.arm
    on conflict (subject_id, arm, repeat) do nothing`.execute(tx);
}

/** Open runs of companies that may spend on the studio today: the last part of a day's budget is left to leads. */
const MAY_PROCEED = sql`
  r.finished_at is null and not exists (
    select from products p join companies c on c.id = p.company_id where p.id = r.product_id and ${sql.raw(IS_BUDGET_NEARLY_SPENT)})`;

const IS_DUE = sql`s.state = 'open' and (s.retry_at is null or s.retry_at <= clock_timestamp()) and ${isUnclaimed('s')}`;

/** A sample that can be claimed, or a run that is to be concluded. */
export const STUDIO_DUE_IN = dueIf(sql`exists (
  select from studio_runs r where ${MAY_PROCEED}
     and (exists (select from studio_samples s where s.run_id = r.id and ${IS_DUE})
          or not exists (select from studio_samples s where s.run_id = r.id and s.state = 'open')))`);

export async function findWaitingModels(reader: Reader): Promise<WaitingModel[]> {
  const { rows } = await sql<WaitingModel>`
    select distinct p.company_id, s.model_vendor as vendor, s.model_name as model
      from studio_runs r join products p on p.id = r.product_id join studio_samples s on s.run_id = r.id
     where ${MAY_PROCEED} and ${IS_DUE}`.execute(reader);
  return rows;
}

/** A claimed sample, with what making it needs beside its run. */
export interface ClaimedSample extends Pick<Work, 'subject' | 'arm' | 'repeat' | 'outputs'> {
  readonly id: number;
  readonly run_id: number;
  readonly subject_id: number;
  readonly product_id: number;
  readonly company_id: number;
  readonly model_vendor: string;
  readonly model_name: string;
  readonly attempts: number;
  readonly call_cost: number;
  readonly calls: readonly Json[];
}

/**
 * Claim samples for which there is room, of as many runs as there are, in turn. What a call may cost is reserved in the
 * same statement: a sample is only claimed while spending, reservations and its own stay within the budget of its run,
 * whose row is locked. What a dead process had reserved counts as spent: its call may have been made.
 *
 * Returns the claimed samples, and the runs that can go no further: there is room, and their budget allows no sample.
 */
export async function claimSamples(
  tx: Tx,
  { rooms, claimant }: { rooms: readonly (WaitingModel & { readonly free: number })[]; claimant: Claimant },
): Promise<{ claimed: ClaimedSample[]; exhausted: number[] }> {
  const { rows: locked } = await sql<{ id: number }>`
    select r.id from studio_runs r
     where ${MAY_PROCEED} and exists (select from studio_samples s where s.run_id = r.id and ${IS_DUE})
     order by r.id for update skip locked`.execute(tx);
  const runs = locked.map(({ id }) => id);
  if (runs.length === 0) return { claimed: [], exhausted: [] };
  const { rows } = await sql<{ id: number; run_id: number; is_within: boolean }>`
    with due as materialized (
      select s.id, s.run_id, p.company_id, s.model_vendor as vendor, s.model_name as model, s.reserved as lost,
             greatest(s.call_cost, r.highest_cost) as reserve,
             row_number() over (partition by s.run_id, s.model_vendor, s.model_name order by s.id) as turn
        from studio_runs r join products p on p.id = r.product_id join studio_samples s on s.run_id = r.id
       where r.id = any(${runs}::bigint[]) and ${IS_DUE}
    ), placed as (
      select d.*, row_number() over (partition by company_id, vendor, model order by d.turn, d.id) as place from due d
    ), in_room as (
      select d.*, sum(d.reserve) over (partition by d.run_id order by d.id) as total
        from placed d join jsonb_to_recordset(${JSON.stringify(rooms)}::jsonb)
               as m (company_id bigint, vendor text, model text, free int) using (company_id, vendor, model)
       where d.place <= m.free
    ), chosen as (
      select d.id, d.run_id, d.reserve, d.lost,
             r.spent + (select coalesce(sum(o.reserved), 0) from studio_samples o where o.run_id = r.id and o.state = 'open')
               + d.total <= r.budget as is_within
        from in_room d join studio_runs r on r.id = d.run_id
    ), claimed as (
      update studio_samples s set ${claim(claimant)}, reserved = c.reserve from chosen c where s.id = c.id and c.is_within
      returning s.run_id
    ), started as (
      update studio_runs r set state = 'running', started_at = coalesce(r.started_at, domain_now()), spent = r.spent + g.lost
        from (select run_id, sum(lost) as lost from chosen where is_within group by run_id) as g where r.id = g.run_id
    )
    select id, run_id, is_within from chosen order by id`.execute(tx);
  const claimed = rows.filter(({ is_within }) => is_within);
  const proceeding = new Set(claimed.map(({ run_id }) => run_id));
  const refused = [...new Set(rows.map(({ run_id }) => run_id))].filter((id) => !proceeding.has(id));
  return {
    claimed: await readClaimed(
      tx,
      claimed.map(({ id }) => id),
    ),
    exhausted: await withoutCalls(tx, refused),
  };
}

/** Return those of the runs of which no call is in progress. */
async function withoutCalls(tx: Tx, runIds: readonly number[]): Promise<number[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    select r.id from studio_runs r
     where r.id = any(${[...runIds]}::bigint[])
       and not exists (select from studio_samples s where s.run_id = r.id and s.state = 'open' and not ${isUnclaimed('s')})`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

async function readClaimed(tx: Tx, ids: readonly number[]): Promise<ClaimedSample[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ClaimedSample>`
    select s.id, s.run_id, s.subject_id, x.product_id, p.company_id, s.model_vendor, s.model_name, s.attempts, s.call_cost,
           s.calls, s.arm, s.repeat,
           json_build_object('key', x.key, 'history', x.history, 'real', x.real, 'input', x.input,
             'subject', json_build_object('kind', x.kind, 'name', x.name, 'case_id', x.case_id, 'dialogue_id', x.dialogue_id,
                                          'lead_id', x.lead_id, 'message_id', x.message_id, 'persona_id', x.persona_id)) as subject,
           coalesce((select json_agg(json_build_object('arm', o.arm, 'repeat', o.repeat, 'output', o.output) order by o.arm, o.repeat)
                       from studio_samples o where o.subject_id = s.subject_id and o.state = 'done'), '[]') as outputs
      from studio_samples s join studio_subjects x on x.id = s.subject_id join products p on p.id = x.product_id
     where s.id = any(${[...ids]}::bigint[]) order by s.id`.execute(tx);
  return rows;
}

/** What a call has cost, to be added to its sample and its run, which are locked in this order. */
export interface PaidCall {
  readonly sampleId: number;
  readonly runId: number;
  readonly instanceId: string;
  /** US dollars; null: not known, then what was reserved. */
  readonly cost: number | null;
}

/**
 * Add the cost of calls to a run, and to the sample if it is still this instance's; its reservation ends. Returns whether
 * it is.
 */
export async function payCalls(tx: Tx, { sampleId, runId, instanceId, cost }: PaidCall): Promise<boolean> {
  await sql`select from studio_runs where id = ${runId} for update`.execute(tx);
  const { rows } = await sql<{ is_ours: boolean }>`
    with sample as (
      select id, reserved, claimed_by = ${instanceId} and state = 'open' as is_ours from studio_samples where id = ${sampleId}
    ), paid as (
      select coalesce(${cost}::numeric, (select reserved from sample where is_ours), 0) as cost
    ), run as (
      update studio_runs r set spent = r.spent + paid.cost, highest_cost = greatest(r.highest_cost, paid.cost) from paid
       where r.id = ${runId}
    ), settled as (
      update studio_samples s set cost = s.cost + paid.cost, reserved = 0 from paid, sample
       where s.id = sample.id and sample.is_ours
    )
    select is_ours from sample`.execute(tx);
  return rows[0]?.is_ours ?? false;
}

/** Store the answer of a sample's call, so that it is not paid again. */
export async function storeCall(tx: Tx, sampleId: number, answer: Json): Promise<void> {
  await sql`
    update studio_samples set calls = calls || jsonb_build_array(${JSON.stringify(answer)}::jsonb) where id = ${sampleId}`.execute(
    tx,
  );
}

/** Reserve the next call of a sample in progress. Returns false if the budget of its run does not allow it. The run is locked. */
export async function reserveCall(tx: Tx, sampleId: number): Promise<boolean> {
  const { rows } = await sql`
    update studio_samples s set reserved = greatest(s.call_cost, r.highest_cost) from studio_runs r
     where s.id = ${sampleId} and r.id = s.run_id and r.finished_at is null
       and r.spent + greatest(s.call_cost, r.highest_cost)
           + (select coalesce(sum(o.reserved), 0) from studio_samples o where o.run_id = r.id and o.state = 'open') <= r.budget
    returning s.id`.execute(tx);
  return rows.length > 0;
}

/** What became of a sample in progress. */
export type SampleChange =
  | {
      readonly kind: 'done';
      readonly output: Json;
      readonly error: string | null;
      readonly violations: readonly Violation[];
    }
  | { readonly kind: 'failed'; readonly error: string }
  /** It is tried again after `seconds` (real clock). */
  | { readonly kind: 'retry'; readonly error: string; readonly seconds: number }
  /** It is tried again when its run may go on. */
  | { readonly kind: 'release' };

export async function changeSample(tx: Tx, id: number, change: SampleChange): Promise<void> {
  switch (change.kind) {
    case 'done':
      await sql`
        update studio_samples set state = 'done', output = ${JSON.stringify(change.output)}::jsonb, error = ${change.error},
               violations = ${JSON.stringify(change.violations)}::jsonb, finished_at = domain_now(), ${release()}
         where id = ${id}`.execute(tx);
      return;
    case 'failed':
      await sql`
        update studio_samples set state = 'failed', error = ${change.error}, finished_at = domain_now(), ${release()}
         where id = ${id}`.execute(tx);
      return;
    case 'retry':
      await sql`
        update studio_samples set attempts = attempts + 1, error = ${change.error},
               retry_at = clock_timestamp() + make_interval(secs => ${change.seconds}), ${release()}
         where id = ${id}`.execute(tx);
      return;
    case 'release':
      await sql`update studio_samples set ${release()} where id = ${id}`.execute(tx);
      return;
    default:
      change satisfies never;
  }
}

/** Release a sample that could not be settled. */
export async function releaseSample(
  reader: Reader,
  { id, instanceId }: { id: number; instanceId: string },
): Promise<void> {
  await sql`update studio_samples set ${release()} where id = ${id} and claimed_by = ${instanceId}`.execute(reader);
}

/** Leave out the samples of a run that are not made yet. A call in progress is still paid. */
export async function skipOpenSamples(tx: Tx, runId: number): Promise<void> {
  await sql`
    update studio_samples set state = 'skipped', finished_at = domain_now(), reserved = 0, ${release()}
     where run_id = ${runId} and state = 'open'`.execute(tx);
}

/** Give up the samples of a run that are not made yet. */
export async function failOpenSamples(tx: Tx, runId: number, error: string): Promise<void> {
  await sql`
    update studio_samples set state = 'failed', error = ${error}, finished_at = domain_now(), reserved = 0, ${release()}
     where run_id = ${runId} and state = 'open'`.execute(tx);
}

/**
 * Record whether a run's model answers. Returns for how long it has not answered at all, milliseconds (real clock); null
 * if it does.
 */
export async function recordOutage(tx: Tx, runId: number, isFailing: boolean): Promise<number | null> {
  const { rows } = await sql<{ failing_ms: number | null }>`
    update studio_runs set failing_since = ${isFailing ? sql`coalesce(failing_since, clock_timestamp())` : null}
     where id = ${runId}
    returning (extract(epoch from clock_timestamp() - failing_since) * 1000)::float8 as failing_ms`.execute(tx);
  return rows[0]?.failing_ms ?? null;
}
