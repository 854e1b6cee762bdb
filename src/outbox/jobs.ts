/** Jobs and sweeps of the outbox. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import { OUTBOX_SWEEP } from '../conversations/queueMessages.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { reclaim } from './send.ts';
import { sendDue } from './sendDue.ts';
import { CLAIMS_DUE_IN, findAccountOfMessage, findOrphanedClaims } from './store/claims.ts';
import { MESSAGES_DUE_IN } from './store/dueMessages.ts';

const messagePayload = z.object({ message: z.int() });

export const outboxTasks = (policy: SendPolicy): readonly Task[] => [
  {
    // Separate from first tries: a reclaimed message must be resent before the vendor forgets its key.
    name: 'reclaim',
    async concurrencyKey(context, payload) {
      const account = await findAccountOfMessage(context.reader, messagePayload.parse(payload).message);
      return account === null ? null : `reclaim ${account}`;
    },
    run: (context, payload) => reclaim(context, policy, messagePayload.parse(payload).message),
  },
];

const SWEEP_LIMIT = 500;

export const outboxSweeps = (policy: SendPolicy): readonly Sweep[] => [
  { name: OUTBOX_SWEEP, dueIn: () => MESSAGES_DUE_IN, run: (context, tools) => sendDue(context, policy, tools) },
  sweepDue({
    name: 'orphaned claims',
    task: 'reclaim',
    dueIn: () => CLAIMS_DUE_IN,
    findDue: async ({ reader }) => (await findOrphanedClaims(reader, SWEEP_LIMIT)).map((message) => ({ message })),
  }),
];
