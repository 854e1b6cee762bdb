/** Sweeps of webhooks. */
import type { Sweep } from '../jobs/sweeps.ts';
import { sendDeliveries } from './deliver.ts';
import { DELIVERIES_SWEEP } from './event.ts';
import { DELIVERIES_DUE_IN, deleteOldDeliveries } from './store/deliveries.ts';

const DELETE_OLD_MS = 3_600_000;

export const webhookSweeps: readonly Sweep[] = [
  { name: DELIVERIES_SWEEP, dueIn: () => DELIVERIES_DUE_IN, run: sendDeliveries },
  {
    name: 'old webhook deliveries',
    dueIn: null,
    async run({ reader }) {
      await deleteOldDeliveries(reader);
      return DELETE_OLD_MS;
    },
  },
];
