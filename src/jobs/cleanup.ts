/** Sweeps that release what dead instances hold, and delete technical rows. Domain rows are never deleted here. */
import type { Sweep } from './runner.ts';
import { deleteFailedJobs } from './store/enqueue.ts';
import { deleteEndedInstances, reapDeadInstances } from './store/instances.ts';

const CLEANUP_SECONDS = 15 * 60;

/** Create the sweep that reaps dead instances. It runs four times per lease. */
export function deadInstanceSweep(): Sweep {
  const isDue = createTimer();
  return {
    name: 'nodes',
    async run(context) {
      if (isDue(context.config.leaseSeconds / 4)) await reapDeadInstances(context);
    },
  };
}

/** Create the sweep that deletes failed jobs and instances that ended long ago. */
export function cleanupSweep(): Sweep {
  const isDue = createTimer();
  return {
    name: 'tidy',
    async run({ pool }) {
      if (!isDue(CLEANUP_SECONDS)) return;
      await deleteFailedJobs(pool);
      await deleteEndedInstances(pool);
    },
  };
}

/** Create a check for whether `seconds` have passed since it last returned true. */
function createTimer(): (seconds: number) => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return (seconds) => {
    const now = performance.now();
    if (now - last < seconds * 1000) return false;
    last = now;
    return true;
  };
}
