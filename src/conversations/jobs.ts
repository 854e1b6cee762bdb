/** Jobs and sweeps of conversations: replies and classification. A job only wakes the work; the rows are the truth. */
import { z } from 'zod';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { classificationConcurrencyKey, classifyTurn } from './classifyTurn.ts';
import { reply, replyConcurrencyKey } from './reply.ts';
import { CLASSIFICATIONS_DUE_IN, findDueClassifications, openDueClassifications } from './store/classifications.ts';
import { findDueTurns, TURNS_DUE_IN, TURNS_SWEEP } from './store/dialogues.ts';

const dialoguePayload = z.object({ dialogue: z.int() });
const classificationPayload = z.object({ classification: z.int() });

export const conversationTasks: readonly Task[] = [
  {
    name: 'reply',
    concurrencyKey: (context, payload) => replyConcurrencyKey(context, dialoguePayload.parse(payload).dialogue),
    run: (context, payload) => reply(context, dialoguePayload.parse(payload).dialogue),
  },
  {
    name: 'classify',
    concurrencyKey: (context, payload) =>
      classificationConcurrencyKey(context, classificationPayload.parse(payload).classification),
    run: (context, payload) => classifyTurn(context, classificationPayload.parse(payload).classification),
  },
];

const SWEEP_LIMIT = 500;

export const conversationSweeps: readonly Sweep[] = [
  sweepDue({
    name: TURNS_SWEEP,
    task: 'reply',
    dueIn: () => TURNS_DUE_IN,
    findDue: async ({ reader }) => (await findDueTurns(reader, SWEEP_LIMIT)).map((dialogue) => ({ dialogue })),
  }),
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
