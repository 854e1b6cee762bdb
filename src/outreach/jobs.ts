/** Sweeps of outreach. */
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import type { CancelPending } from '../leads/changeStage.ts';
import { actOnDue } from './actOnDue.ts';
import { channelSafetySweep } from './channelSafety.ts';
import { evaluateDue } from './evaluateDue.ts';
import { createPlanAfterUpgrade } from './planAfterUpgrade.ts';
import { serveQueues } from './sendFirstMessages.ts';
import { QUEUES_DUE_IN, QUEUES_SWEEP } from './store/firstMessages.ts';
import { LEADS_DUE_IN } from './store/outreach.ts';

/** Leads that join a queue within this time are claimed together. */
const GATHER_MS = 50;

export const outreachSweeps = (policy: SendPolicy, cancelPending: CancelPending): readonly Sweep[] => [
  channelSafetySweep,
  createPlanAfterUpgrade(),
  {
    name: 'plan',
    dueIn: () => LEADS_DUE_IN,
    run: (context, tools) => evaluateDue(context, (due) => actOnDue(context, { due, cancelPending, tools })),
  },
  {
    name: QUEUES_SWEEP,
    gatherMs: GATHER_MS,
    dueIn: () => QUEUES_DUE_IN,
    run: (context, tools) => serveQueues(context, policy, tools),
  },
];
