/** SQL that adds jobs to the runner's queue and deletes failed ones. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { AppContext } from '../../platform/appContext.ts';
import type { Tx } from '../../platform/db.ts';

/** How often a job is tried that only wakes the work: later ones replace it. */
const WAKE_UP_ATTEMPTS = 3;

/**
 * How often a job is tried that is the work itself. The pauses grow to 6 hours, so these last for three weeks: until then
 * somebody has mended what fails.
 */
export const WORK_ATTEMPTS = 100;

/** Enqueue a job in the transaction of the write that needs it. A key makes it unique among waiting jobs. */
export async function enqueue(
  tx: Tx,
  {
    task,
    payload,
    key,
    attempts = WAKE_UP_ATTEMPTS,
  }: { task: string; payload: object; key?: string | undefined; attempts?: number },
): Promise<void> {
  await sql`select graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, job_key := ${key ?? null}, max_attempts := ${attempts}::int)`.execute(
    tx,
  );
}

/**
 * Enqueue jobs from the pool, for sweeps. One round trip for any number of jobs. Skips jobs that are ready, and those
 * that a runner has locked: rewriting them would conflict with their completion, or with the statement that unlocks
 * what a dead runner has left. [600 due turns enqueued again every 50 ms: a deadlock with the completions, which ends
 * the runner, within a second.]
 */
export async function enqueueMany(
  { pool, metrics }: Pick<AppContext, 'pool' | 'metrics'>,
  task: string,
  jobs: readonly { payload: object; key: string }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const { rowCount } = await pool.query(
    `select graphile_worker.add_job($1, (one->>'payload')::json, job_key := one->>'key', max_attempts := ${WAKE_UP_ATTEMPTS})
       from jsonb_array_elements($2::jsonb) as one
      where not exists (
        select 1 from graphile_worker._private_jobs j
         where j.key = one->>'key'
           and (j.locked_by is not null or (j.run_at <= now() and j.attempts < j.max_attempts)))`,
    [task, JSON.stringify(jobs.map(({ payload, key }) => ({ payload: JSON.stringify(payload), key })))],
  );
  metrics.enqueuedJobs.inc({ task }, rowCount ?? 0);
}

/** Delete jobs that failed permanently. A job is a wake-up call: later jobs have replaced it. */
export async function deleteFailedJobs(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and run_at < clock_timestamp() - interval '1 hour'`,
  );
}
