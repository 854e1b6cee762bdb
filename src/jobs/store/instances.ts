/**
 * Instances: each run of a process has a row with a heartbeat on the database's real clock. Any worker that notices a
 * dead instance releases what it had claimed; the next instance of the same node does so at once.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { AppContext } from '../../platform/appContext.ts';
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
export async function sendHeartbeat(context: AppContext): Promise<void> {
  await context.pool.query(
    'update nodes set heartbeat_at = clock_timestamp(), ended_at = null where instance_id = $1',
    [context.instanceId],
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

/** Mark instances without a heartbeat as dead: their claims count no more. */
export async function reapDeadInstances({ reader, config }: AppContext): Promise<void> {
  await sql`update nodes set ended_at = clock_timestamp() where ${isDead(config.leaseSeconds)}`.execute(reader);
}

/** Delete instances that ended a week ago. */
export async function deleteEndedInstances(pool: pg.Pool): Promise<void> {
  await pool.query("delete from nodes where ended_at < clock_timestamp() - interval '7 days'");
}
