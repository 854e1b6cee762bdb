/** The sweep of models: settles calls whose process has ended. */
import type { Sweep } from '../jobs/sweeps.ts';
import { deleteOldReservations, LOST_RESERVATIONS_DUE, writeOffLost } from './store/reservations.ts';

export const lostCallSweep: Sweep = {
  name: 'lost model calls',
  dueIn: () => LOST_RESERVATIONS_DUE,
  async run({ reader }) {
    await writeOffLost(reader);
    await deleteOldReservations(reader);
  },
};
