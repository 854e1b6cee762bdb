/** Jobs and sweeps of the outbox. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findDialogueContext } from '../conversations/store/dialogues.ts';
import type { Sweep, Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import { deliver, reclaim } from './deliver.ts';
import { releaseLostClaims } from './lostClaims.ts';
import { findAccountOfMessage, findOrphanedClaims } from './store/claims.ts';
import { findDueDialogues } from './store/queue.ts';

const dialoguePayload = z.object({ dialogue: z.int() });
const messagePayload = z.object({ message: z.int() });

export const outboxTasks = (policy: SendPolicy): readonly Task[] => [
  {
    name: 'deliver',
    async concurrencyKey(context, payload) {
      const dialogueContext = await findDialogueContext(context.reader, dialoguePayload.parse(payload).dialogue);
      return dialogueContext ? `send ${dialogueContext.account_id}` : null;
    },
    run: (context, payload) => deliver(context, policy, dialoguePayload.parse(payload).dialogue),
  },
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

export const outboxSweeps: readonly Sweep[] = [
  sweepDue('outbox', 'deliver', async ({ reader }) =>
    (await findDueDialogues(reader, SWEEP_LIMIT)).map((dialogue) => ({ dialogue })),
  ),
  sweepDue('orphaned claims', 'reclaim', async (context) => {
    await releaseLostClaims(context);
    return (await findOrphanedClaims(context.reader, SWEEP_LIMIT)).map((message) => ({ message }));
  }),
];
