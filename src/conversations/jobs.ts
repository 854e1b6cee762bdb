/**
 * Jobs and sweeps of conversations: replies, classification, opt-outs, and summaries of hand-overs. A job only wakes the
 * work; the rows are the truth. Only the job of an opt-out is the work itself, enqueued in the transaction of its cause.
 */

import { z } from 'zod';
import type { Task } from '../jobs/runner.ts';
import { sweepDue } from '../jobs/sweepDue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { DOUBTS_DUE_IN } from '../leads/store/optOuts.ts';
import { classificationConcurrencyKey, classifyTurn } from './classifyTurn.ts';
import { askAboutDoubts, OPT_OUT_OTHERS, optOutOthers } from './optOut.ts';
import { replyToDueTurns } from './reply.ts';
import { CLASSIFICATIONS_DUE_IN, findDueClassifications, openDueClassifications } from './store/classifications.ts';
import { TURNS_SWEEP } from './store/dialogues.ts';
import { findDueSummaries, SUMMARIES_DUE_IN } from './store/handOvers.ts';
import { TURNS_DUE_IN } from './store/turns.ts';
import { summarizeHandOver, summaryConcurrencyKey } from './summarizeHandOver.ts';

const classificationPayload = z.object({ classification: z.int() });
const leadPayload = z.object({ lead: z.int() });
const summaryPayload = z.object({ handOver: z.int() });

export const conversationTasks: readonly Task[] = [
  {
    name: 'classify',
    concurrencyKey: (context, payload) =>
      classificationConcurrencyKey(context, classificationPayload.parse(payload).classification),
    run: (context, payload) => classifyTurn(context, classificationPayload.parse(payload).classification),
  },
  { name: OPT_OUT_OTHERS, run: (context, payload) => optOutOthers(context, leadPayload.parse(payload).lead) },
  {
    name: 'summarize',
    concurrencyKey: (context, payload) => summaryConcurrencyKey(context, summaryPayload.parse(payload).handOver),
    run: (context, payload) => summarizeHandOver(context, summaryPayload.parse(payload).handOver),
  },
];

const SWEEP_LIMIT = 500;

export const conversationSweeps: readonly Sweep[] = [
  { name: 'doubts', dueIn: () => DOUBTS_DUE_IN, run: askAboutDoubts },
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
  sweepDue({
    name: 'summaries',
    task: 'summarize',
    dueIn: () => SUMMARIES_DUE_IN,
    findDue: async ({ reader }) => (await findDueSummaries(reader, SWEEP_LIMIT)).map((handOver) => ({ handOver })),
  }),
];
