/** Jobs and sweeps of outreach. */
import { z } from 'zod';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Task } from '../jobs/runner.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import type { CancelPending } from '../leads/changeStage.ts';
import { channelSafetySweep } from './channelSafety.ts';
import { evaluateDue } from './evaluateDue.ts';
import { expireLead } from './expireLead.ts';
import { serveQueues } from './sendFirstMessages.ts';
import { followUpConcurrencyKey, releaseLostFollowUps, sendFollowUp } from './sendFollowUp.ts';
import { QUEUES_DUE_IN, QUEUES_SWEEP } from './store/firstMessages.ts';
import { LEADS_DUE_IN, reclaimFollowUps } from './store/outreach.ts';

const leadPayload = z.object({ lead: z.int() });

export const outreachTasks = (cancelPending: CancelPending): readonly Task[] => [
  {
    name: 'outreach.ping',
    concurrencyKey: (context, payload) => followUpConcurrencyKey(context, leadPayload.parse(payload).lead),
    run: (context, payload) => sendFollowUp(context, leadPayload.parse(payload).lead),
  },
  {
    name: 'outreach.expire',
    run: (context, payload) => expireLead(context, cancelPending, leadPayload.parse(payload).lead),
  },
];

export const outreachSweeps = (policy: SendPolicy): readonly Sweep[] => [
  channelSafetySweep,
  {
    name: 'plan',
    dueIn: () => LEADS_DUE_IN,
    async run(context) {
      await reclaimFollowUps(context.reader);
      await releaseLostFollowUps(context);
      return evaluateDue(context);
    },
  },
  { name: QUEUES_SWEEP, dueIn: () => QUEUES_DUE_IN, run: (context, tools) => serveQueues(context, policy, tools) },
];
