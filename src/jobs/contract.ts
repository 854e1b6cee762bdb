/**
 * Jobs of the runner as admins see them. Jobs are wake-up calls: the work itself is stored on the rows of its module.
 */
import { z } from 'zod';
import { endpoint, errorReply, instant, reference } from '../platform/contract.ts';
import { crud, readOnlyCrud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

/** States of a job; a `failed` one is not retried automatically. */
export const jobStates = ['running', 'failed', 'ready', 'later'] as const;
export type JobState = (typeof jobStates)[number];

const job = z.object({
  id: z.int(),
  task: z.string(),
  key: z.string().nullable(),
  state: z.enum(jobStates),
  attempts: z.int(),
  max_attempts: z.int(),
  last_error: z.string().nullable(),
  run_at: instant,
  created_at: instant,
  /** Name of the node that runs it. */
  node: z.string().nullable(),
  /** Ids of rows in the payload, as text; everything else in it is left out. */
  payload: z.string(),
});
export type Job = z.output<typeof job>;

const jobCrud = crud(
  {
    resource: 'job',
    plural: 'jobs',
    path: '/v1/jobs/',
    item: job,
    create: z.strictObject({}),
    update: z.strictObject({}),
    filters: { task: z.string().min(1).max(100) },
    orderBy: ['run_at', 'id', 'created_at', 'attempts'],
    search: ['key', 'last_error'],
  },
  { read: 'admin', write: 'admin' },
);

/** Jobs are created by the program, never through the API. */
export const jobs = readOnlyCrud(jobCrud);

const jobParams = z.strictObject({ id: reference('job') });

export const retryJob = endpoint({
  operation: 'retryJob',
  method: 'POST',
  path: '/v1/jobs/{id}/retry',
  access: 'admin',
  summary: 'Run a job now, with all its attempts again',
  params: jobParams,
  replies: { 200: job, 404: errorReply, 409: errorReply },
});

export const removeJob = endpoint({
  operation: 'removeJob',
  method: 'POST',
  path: '/v1/jobs/{id}/remove',
  access: 'admin',
  summary: 'Remove a job; the reason is recorded in the audit log',
  params: jobParams,
  body: z.strictObject({ reason: z.string().trim().min(1).max(500) }),
  replies: { 204: z.null(), 404: errorReply, 409: errorReply },
});

/** The concurrency queues of the node that answers: work that waits for outside services. */
export const readJobQueues = endpoint({
  operation: 'listJobLanes',
  method: 'GET',
  path: '/v1/jobs/lanes',
  access: 'admin',
  summary: 'Running and waiting calls of each model and messenger',
  replies: {
    200: z.object({
      node: z.string(),
      /** Slots of a queue. */
      width: z.int(),
      lanes: z.array(z.object({ name: z.string(), running: z.int(), waiting: z.int() })),
    }),
  },
});

export const jobRefusals = {
  'job.running': { status: 409, sentence: 'This job is running.' },
} satisfies RefusalKinds;
