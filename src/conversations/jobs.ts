/** Jobs and sweeps of conversations: replies and classification. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import type { Sweep, Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import { classificationConcurrencyKey, classifyTurn } from './classifyTurn.ts';
import { replyToDueTurns } from './reply.ts';
import { findDueClassifications, openDueClassifications } from './store/classifications.ts';

const classificationPayload = z.object({ classification: z.int() });

export const conversationTasks: readonly Task[] = [
  {
    name: 'classify',
    concurrencyKey: (context, payload) =>
      classificationConcurrencyKey(context, classificationPayload.parse(payload).classification),
    run: (context, payload) => classifyTurn(context, classificationPayload.parse(payload).classification),
  },
];

const SWEEP_LIMIT = 500;

export const conversationSweeps: readonly Sweep[] = [
  { name: 'turns', run: replyToDueTurns },
  sweepDue('classifications', 'classify', async ({ reader }) => {
    await openDueClassifications(reader, SWEEP_LIMIT);
    return (await findDueClassifications(reader, SWEEP_LIMIT)).map((classification) => ({ classification }));
  }),
];
