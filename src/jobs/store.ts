/** SQL of the admin's actions on jobs. The runner's own tables are only read; its functions change them. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';

const STATE = `case when t.locked_at is not null then 'running' when t.attempts >= t.max_attempts then 'failed'
                    when t.run_at <= clock_timestamp() then 'ready' else 'later' end`;

/** Numbers and lists of numbers are row ids. Any other value may be a secret. */
const PAYLOAD = `coalesce((select string_agg(e.key || ' ' || left(e.value::text, 200), ', ' order by e.key)
                    from json_each(case when json_typeof(t.payload) = 'object' then t.payload else '{}' end) e
                   where e.value::text ~ '^(-?[0-9]+|\\[[-0-9, ]*\\])$'), '')`;

export const JOB_LISTING = {
  from: 'graphile_worker._private_jobs t join graphile_worker._private_tasks k on k.id = t.task_id',
  select: {
    id: 't.id',
    task: 'k.identifier',
    key: 't.key',
    state: STATE,
    attempts: 't.attempts',
    max_attempts: 't.max_attempts',
    last_error: 'left(t.last_error, 2000)',
    run_at: 't.run_at',
    created_at: 't.created_at',
    node: '(select n.name from nodes n where n.worker_id = t.locked_by order by n.started_at desc limit 1)',
    payload: PAYLOAD,
  },
  search: ['t.key', 't.last_error'],
  scopeCondition: null,
  id: 't.id',
} as const;

export interface LockedJob {
  task: string;
  key: string | null;
  attempts: number;
  last_error: string | null;
  running: boolean;
}

/** Lock a job so that no runner takes it meanwhile; undefined when it is done. */
export async function lockJob(tx: Tx, id: number): Promise<LockedJob | undefined> {
  const { rows } = await sql<LockedJob>`
    select k.identifier as task, t.key, t.attempts, left(t.last_error, 2000) as last_error, t.locked_at is not null as running
      from graphile_worker._private_jobs t join graphile_worker._private_tasks k on k.id = t.task_id
     where t.id = ${id} for update of t`.execute(tx);
  return rows[0];
}

export async function retryNow(tx: Tx, id: number): Promise<void> {
  await sql`select graphile_worker.reschedule_jobs(array[${id}]::bigint[], run_at := now(), attempts := 0)`.execute(tx);
}

export async function deleteJob(tx: Tx, id: number): Promise<void> {
  await sql`select graphile_worker.complete_jobs(array[${id}]::bigint[])`.execute(tx);
}
