/**
 * SQL of opt-outs that the other leads of their person still have to follow. A row is deleted when they do. All times are
 * of the database's real clock.
 */
import { sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { wakeSweep } from '../../platform/notifications.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    opt_out_propagations: Row<'opt_out_propagations'>;
  }
}

export const OPT_OUTS_SWEEP = 'opt-outs';

/** Leads whose opt-out an instance passes on. */
export const PROPAGATIONS: Claimable<{ lead_id: number }> = {
  table: 'opt_out_propagations',
  key: { lead_id: 'bigint' },
};

/** Have the other leads of a person follow a locked lead, when the transaction has committed. */
export async function requestPropagation(tx: Tx, leadId: number): Promise<void> {
  await sql`
    insert into opt_out_propagations as p (lead_id, product_id) select id, product_id from leads where id = ${leadId}
    on conflict (lead_id) do update
      set request_count = p.request_count + 1, requested_at = clock_timestamp(), retry_at = null, attempts = 0`.execute(
    tx,
  );
  wakeSweep(tx, OPT_OUTS_SWEEP);
}

const IS_DUE = sql`(p.retry_at is null or p.retry_at <= clock_timestamp()) and ${isUnclaimed('p')}`;

export const PROPAGATIONS_DUE_IN = dueIf(sql`exists (select 1 from opt_out_propagations p where ${IS_DUE})`);

export async function findDuePropagations(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select p.lead_id from opt_out_propagations p where ${IS_DUE} order by p.requested_at limit ${limit}`.execute(
    reader,
  );
  return rows.map((row) => row.lead_id);
}

interface Propagation {
  readonly lead_id: number;
  readonly request_count: number;
  readonly attempts: number;
}

/** Claim a lead whose opt-out is passed on. Undefined if it is not due or already claimed. */
export async function claimPropagation(
  reader: Reader,
  leadId: number,
  claimant: Claimant,
): Promise<Propagation | undefined> {
  const { rows } = await sql<Propagation>`
    update opt_out_propagations p set ${claim(claimant)} where p.lead_id = ${leadId} and ${IS_DUE}
    returning p.lead_id, p.request_count, p.attempts`.execute(reader);
  return rows[0];
}

export async function releasePropagation(reader: Reader, leadId: number, instanceId: string): Promise<void> {
  await sql`update opt_out_propagations set ${release()}
             where lead_id = ${leadId} and claimed_by = ${instanceId}`.execute(reader);
}

/** Delete what is done, unless it was requested again meanwhile. */
export async function endPropagation(
  reader: Reader,
  { lead_id: leadId, request_count: count }: Propagation,
): Promise<void> {
  await sql`delete from opt_out_propagations where lead_id = ${leadId} and request_count = ${count}`.execute(reader);
}

/** Try again after `seconds`, unless it was requested again meanwhile. */
export async function deferPropagation(
  reader: Reader,
  { lead_id: leadId, request_count: count }: Propagation,
  { seconds, error }: { readonly seconds: number; readonly error: string },
): Promise<void> {
  await sql`
    update opt_out_propagations
       set attempts = attempts + 1, error = ${error.slice(0, 500)}, retry_at = clock_timestamp() + make_interval(secs => ${seconds})
     where lead_id = ${leadId} and request_count = ${count}`.execute(reader);
}
