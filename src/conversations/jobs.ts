/** Jobs and sweeps of conversations: replies and classification. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { classificationConcurrencyKey, classifyTurn } from './classifyTurn.ts';
import { replyToDueTurns, TURNS_SWEEP } from './reply.ts';
import { CLASSIFICATIONS_DUE_IN, findDueClassifications, openDueClassifications } from './store/classifications.ts';
import { TURNS_DUE_IN } from './store/turns.ts';

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
  { name: TURNS_SWEEP, dueIn: () => TURNS_DUE_IN, run: replyToDueTurns },
  sweepDue({
    name: 'classifications',
    task: 'classify',
    dueIn: () => CLASSIFICATIONS_DUE_IN,
    findDue: async ({ reader }) => {
      await openDueClassifications(reader, SWEEP_LIMIT);
      return (await findDueClassifications(reader, SWEEP_LIMIT)).map((classification) => ({ classification }));
    },
  }),
];
