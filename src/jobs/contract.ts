/** Work of a node that waits for outside services, as admins see it. */
import { z } from 'zod';
import { endpoint } from '../platform/contract.ts';

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
