/**
 * Deletes technical rows that are no longer needed: failed jobs and instances that ended long ago. Domain rows are
 * never deleted here.
 */
import type { Sweep } from './runner.ts';

const EVERY_MS = 15 * 60 * 1000;

export function cleanupSweep(): Sweep {
  let lastRunAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'tidy',
    async run({ pool }) {
      const now = performance.now();
      if (now - lastRunAt < EVERY_MS) return;
      lastRunAt = now;
      // A job is a wake-up call: later jobs have replaced one that failed permanently.
      await pool.query(
        `delete from graphile_worker._private_jobs
          where attempts >= max_attempts and locked_at is null and run_at < clock_timestamp() - interval '1 hour'`,
      );
      await pool.query(
        `delete from nodes n where ended_at < clock_timestamp() - interval '7 days'
            and not exists (select 1 from messages m where m.status = 'sending' and m.claimed_by = n.instance_id)`,
      );
    },
  };
}
