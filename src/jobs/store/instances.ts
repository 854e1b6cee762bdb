/**
 * Instances: each run of a process has a row with a heartbeat on the database's real clock. Any worker that notices a
 * dead instance releases what it had claimed; the next instance of the same node does so at once.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { AppContext } from '../../platform/appContext.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { dueIf } from './dueWork.ts';

/**
 * Register this instance and end earlier ones of the same node name: they cannot be running, since this one listens on
 * their port.
 */
export async function registerInstance(context: AppContext, version: string): Promise<void> {
  await context.transact(async (tx) => {
    await sql`update nodes set ended_at = clock_timestamp() where name = ${context.config.nodeName} and ended_at is null`.execute(
      tx,
    );
    await sql`
      insert into nodes (instance_id, name, roles, pid, version)
      values (${context.instanceId}, ${context.config.nodeName}, ${[...context.config.roles]}, ${process.pid}, ${version})`.execute(
      tx,
    );
  });
}

/** Write the heartbeat. If others have declared this instance dead, it is marked alive again; its work was released. */
export async function sendHeartbeat(context: AppContext, lockedBy: string | null): Promise<void> {
  await context.pool.query(
    'update nodes set heartbeat_at = clock_timestamp(), worker_id = $2, ended_at = null where instance_id = $1',
    [context.instanceId, lockedBy],
  );
}

export async function unregisterInstance(context: AppContext): Promise<void> {
  await context.pool.query('update nodes set ended_at = clock_timestamp() where instance_id = $1', [
    context.instanceId,
  ]);
}

const isDead = (leaseSeconds: number) =>
  sql`ended_at is null and heartbeat_at < clock_timestamp() - make_interval(secs => ${leaseSeconds})`;

export const deadInstanceDueIn = (leaseSeconds: number) =>
  dueIf(sql`exists (select 1 from nodes where ${isDead(leaseSeconds)})`);

/** Mark instances without a heartbeat as dead, and unlock the jobs that no live runner holds. */
export async function reapDeadInstances(context: AppContext): Promise<void> {
  await context.transact(async (tx) => {
    await sql`update nodes set ended_at = clock_timestamp() where ${isDead(context.config.leaseSeconds)}`.execute(tx);
    const deadRunners = await findDeadRunners(tx, context.config.leaseSeconds);
    if (deadRunners.length > 0)
      await sql`select graphile_worker.force_unlock_workers(${deadRunners}::text[])`.execute(tx);
  });
}

/** Return the names of dead runners that still lock jobs. */
async function findDeadRunners(reader: Reader | Tx, leaseSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ locked_by: string }>`
    select distinct j.locked_by
      from graphile_worker._private_jobs j
     where j.locked_by is not null
       and not exists (select 1 from nodes n where n.ended_at is null and n.worker_id = j.locked_by)
       and (j.locked_at < clock_timestamp() - make_interval(secs => ${leaseSeconds})
            or exists (select 1 from nodes n where n.ended_at is not null and n.worker_id = j.locked_by))`.execute(
    reader,
  );
  return rows.map((row) => row.locked_by);
}

/** Delete instances that ended a week ago. */
export async function deleteEndedInstances(pool: pg.Pool): Promise<void> {
  await pool.query("delete from nodes where ended_at < clock_timestamp() - interval '7 days'");
}
