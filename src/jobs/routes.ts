import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type Job, jobRefusals, jobs, readJobQueues, removeJob, retryJob } from './contract.ts';
import type { QueueState } from './keyedConcurrency.ts';
import { deleteJob, JOB_LISTING, type LockedJob, lockJob, retryNow } from './store.ts';

/** Create the routes of jobs. `queueStates` returns the concurrency queues of this node; none where it runs no jobs. */
export function jobRoutes(context: AppContext, queueStates: () => readonly QueueState[]): Route[] {
  const readJob = async (id: number): Promise<Job> => {
    const { items } = await readList<Job>(context.pool, {
      listing: JOB_LISTING,
      query: { page: 1, limit: 1, order: 'desc', order_by: 'id', with_total: false, id: [id] },
      companies: null,
    });
    const [job] = items;
    if (!job) throw refuse(commonRefusals, 'not_found', { noun: 'job' });
    return job;
  };
  const lockOrRefuse = async (tx: Tx, id: number): Promise<LockedJob> => {
    const job = await lockJob(tx, id);
    if (!job) throw refuse(commonRefusals, 'not_found', { noun: 'job' });
    if (job.running) throw refuse(jobRefusals, 'job.running');
    return job;
  };
  return [
    route(readJobQueues, async () =>
      ok(200, { node: context.config.nodeName, width: context.config.concurrency, lanes: [...queueStates()] }),
    ),
    route(jobs.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, {
        ...(await readList<Job>(context.pool, { listing: JOB_LISTING, query, companies: null })),
        page,
        limit,
      });
    }),
    route(jobs.get, async ({ params }) => ok(200, await readJob(params.id))),
    route(retryJob, async ({ params, caller, requestId }) => {
      await context.transact(async (tx) => {
        const job = await lockOrRefuse(tx, params.id);
        await retryNow(tx, params.id);
        await record(tx, { writeContext: { caller, requestId }, action: 'run again', rowId: params.id, job });
      });
      return ok(200, await readJob(params.id));
    }),
    route(removeJob, async ({ params, body, caller, requestId }) => {
      await context.transact(async (tx) => {
        const job = await lockOrRefuse(tx, params.id);
        await deleteJob(tx, params.id);
        await record(tx, {
          writeContext: { caller, requestId },
          action: 'removed',
          rowId: params.id,
          job,
          after: body,
        });
      });
      return ok(204, null);
    }),
  ];
}

function record(
  tx: Tx,
  {
    writeContext,
    action,
    rowId,
    job,
    after = null,
  }: { writeContext: WriteContext; action: string; rowId: number; job: LockedJob; after?: object | null | undefined },
) {
  const { task, key, attempts, last_error } = job;
  return recordAuditEntry(tx, {
    ...writeContext,
    action,
    noun: 'job',
    rowId,
    before: { task, key, attempts, last_error },
    after,
  });
}
