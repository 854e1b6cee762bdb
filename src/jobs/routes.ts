import { recordDeed, type Writing } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type Job, jobRefusals, jobs, readLanes, removeJob, retryJob } from './contract.ts';
import type { LaneState } from './lanes.ts';
import { JOB_LISTING, type LockedJob, lockJob, runAgain, takeAway } from './store.ts';

/** `lanesHere`: what runs beside the jobs of this node; nothing where it runs none. */
export function jobRoutes(ground: Ground, lanesHere: () => readonly LaneState[]): Route[] {
  const one = async (id: number): Promise<Job> => {
    const { items } = await readList<Job>(
      ground.pool,
      JOB_LISTING,
      { page: 1, limit: 1, order: 'desc', order_by: 'id', with_total: false, id: [id] },
      null,
    );
    const [job] = items;
    if (!job) throw refuse(commonRefusals, 'not_found', { noun: 'job' });
    return job;
  };
  const mustLock = async (tx: Tx, id: number): Promise<LockedJob> => {
    const job = await lockJob(tx, id);
    if (!job) throw refuse(commonRefusals, 'not_found', { noun: 'job' });
    if (job.running) throw refuse(jobRefusals, 'job.running');
    return job;
  };
  return [
    route(readLanes, async () =>
      ok(200, { node: ground.config.nodeName, width: ground.config.concurrency, lanes: [...lanesHere()] }),
    ),
    route(jobs.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, { ...(await readList<Job>(ground.pool, JOB_LISTING, query, null)), page, limit });
    }),
    route(jobs.get, async ({ params }) => ok(200, await one(params.id))),
    route(retryJob, async ({ params, caller, requestId }) => {
      await ground.transact(async (tx) => {
        const job = await mustLock(tx, params.id);
        await runAgain(tx, params.id);
        await record(tx, { caller, requestId }, 'run again', params.id, job);
      });
      return ok(200, await one(params.id));
    }),
    route(removeJob, async ({ params, body, caller, requestId }) => {
      await ground.transact(async (tx) => {
        const job = await mustLock(tx, params.id);
        await takeAway(tx, params.id);
        await record(tx, { caller, requestId }, 'removed', params.id, job, body);
      });
      return ok(204, null);
    }),
  ];
}

function record(tx: Tx, writing: Writing, action: string, rowId: number, job: LockedJob, after: object | null = null) {
  const { task, key, attempts, last_error } = job;
  return recordDeed(tx, { ...writing, action, noun: 'job', rowId, before: { task, key, attempts, last_error }, after });
}
