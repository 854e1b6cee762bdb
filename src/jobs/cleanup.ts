/** Sweeps that end dead instances, and delete technical rows. Domain rows are never deleted here. */
import { deadInstanceDueIn, deleteEndedInstances, reapDeadInstances } from './store/instances.ts';
import type { Sweep } from './sweeps.ts';

const CLEANUP_MS = 15 * 60_000;

/** Reaps instances as soon as they count as dead: that ends their claims. */
export const deadInstanceSweep: Sweep = {
  name: 'nodes',
  dueIn: ({ config }) => deadInstanceDueIn(config.leaseSeconds),
  run: reapDeadInstances,
};

/** Deletes instances that ended long ago. */
export const cleanupSweep: Sweep = {
  name: 'tidy',
  dueIn: null,
  async run({ pool }) {
    await deleteEndedInstances(pool);
    return CLEANUP_MS;
  },
};
