/** Sweeps that release what dead instances hold, and delete technical rows. Domain rows are never deleted here. */
import { deleteFailedJobs } from './store/enqueue.ts';
import { deadInstanceDueIn, deleteEndedInstances, reapDeadInstances } from './store/instances.ts';
import type { Sweep } from './sweeps.ts';

const CLEANUP_MS = 15 * 60_000;

/**
 * Reaps instances as soon as they count as dead. Twice per lease it also unlocks jobs that no live runner holds: an
 * instance that goes on may have replaced its runner, and there is no index of locked jobs.
 */
export const deadInstanceSweep: Sweep = {
  name: 'nodes',
  dueIn: ({ config }) => deadInstanceDueIn(config.leaseSeconds),
  async run(context) {
    await reapDeadInstances(context);
    return context.config.leaseSeconds * 500;
  },
};

/** Deletes failed jobs and instances that ended long ago. */
export const cleanupSweep: Sweep = {
  name: 'tidy',
  dueIn: null,
  async run({ pool }) {
    await deleteFailedJobs(pool);
    await deleteEndedInstances(pool);
    return CLEANUP_MS;
  },
};
