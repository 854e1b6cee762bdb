/** Sweeps of the outbox. */
import { OUTBOX_SWEEP } from '../conversations/queueMessages.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { reclaimOrphans } from './reclaim.ts';
import { sendDue } from './sendDue.ts';
import { CLAIMS_DUE_IN } from './store/claims.ts';
import { MESSAGES_DUE_IN } from './store/dueMessages.ts';

export const outboxSweeps = (policy: SendPolicy): readonly Sweep[] => [
  {
    name: 'orphaned claims',
    dueIn: () => CLAIMS_DUE_IN,
    run: (context, tools) => reclaimOrphans(context, policy, tools),
  },
  { name: OUTBOX_SWEEP, dueIn: () => MESSAGES_DUE_IN, run: (context, tools) => sendDue(context, policy, tools) },
];
