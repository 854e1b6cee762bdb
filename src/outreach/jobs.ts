/** Jobs and sweeps of outreach. */
import { z } from 'zod';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Task } from '../jobs/runner.ts';
import { enqueueMany } from '../jobs/store/enqueue.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import type { CancelPending } from '../leads/changeStage.ts';
import { channelSafetySweep } from './channelSafety.ts';
import { evaluateDue } from './evaluateDue.ts';
import { expireLead } from './expireLead.ts';
import { releaseLostQueues, sendFirstMessages } from './sendFirstMessages.ts';
import { followUpConcurrencyKey, releaseLostFollowUps, sendFollowUp } from './sendFollowUp.ts';
import { findDueQueues, LEADS_DUE_IN, QUEUES_DUE_IN, reclaimFollowUps } from './store/outreach.ts';

const leadPayload = z.object({ lead: z.int() });
const productPayload = z.object({ product: z.int() });

/** Products whose queues one sweep starts. */
const MAX_QUEUES_PER_SWEEP = 200;

export const outreachTasks = (policy: SendPolicy, cancelPending: CancelPending): readonly Task[] => [
  {
    name: 'outreach.ping',
    concurrencyKey: (context, payload) => followUpConcurrencyKey(context, leadPayload.parse(payload).lead),
    run: (context, payload) => sendFollowUp(context, leadPayload.parse(payload).lead),
  },
  {
    name: 'outreach.expire',
    run: (context, payload) => expireLead(context, cancelPending, leadPayload.parse(payload).lead),
  },
  {
    name: 'outreach.first',
    // A product's queue may wait for a model or a vendor; other products must not wait with it.
    concurrencyKey: async (_context, payload) => `first ${productPayload.parse(payload).product}`,
    run: (context, payload) => sendFirstMessages(context, policy, productPayload.parse(payload).product),
  },
];

export const outreachSweeps = (): readonly Sweep[] => [
  channelSafetySweep,
  {
    name: 'plan',
    dueIn: () => LEADS_DUE_IN,
    async run(context) {
      await reclaimFollowUps(context.reader);
      await releaseLostFollowUps(context);
      await evaluateDue(context);
    },
  },
  {
    name: 'queues',
    dueIn: () => QUEUES_DUE_IN,
    async run(context) {
      await releaseLostQueues(context);
      const due = await findDueQueues(context.reader, MAX_QUEUES_PER_SWEEP);
      await enqueueMany(
        context,
        'outreach.first',
        due.map((id) => ({ payload: { product: id }, key: `first:${id}` })),
      );
    },
  },
];
