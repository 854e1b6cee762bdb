/** Starts and stops the background work of a node: its sweeps, and the queues in which they start work. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../platform/appContext.ts';
import { createKeyedConcurrency, type QueueState } from './keyedConcurrency.ts';
import { type Sweep, type SweepState, startSweeping } from './sweeps.ts';

export interface JobRunner {
  /** Return the state of the concurrency queues. */
  queueStates(): QueueState[];
  /** Return when each sweep last succeeded. */
  sweeps(): SweepState[];
  /** Start nothing more, and let running work end, within `seconds`. */
  stop(seconds: number): Promise<void>;
}

/** Start sweeping. */
export function startJobs(context: AppContext, sweeps: readonly Sweep[]): JobRunner {
  const { log, metrics, config } = context;
  /** Nothing else reports an error of work that a sweep has started. */
  const logged = (key: string, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => log.error({ work: key, error: String(error) }, 'work of a sweep failed'));
  const keyedConcurrency = createKeyedConcurrency(
    config.concurrency,
    () => undefined,
    (count) => metrics.keyedWork.set(count),
  );
  const sweeping = startSweeping(context, {
    sweeps,
    tools: {
      isStarted: (key) => keyedConcurrency.isStarted(key),
      start: (queue, key, work) => keyedConcurrency.submit(queue, key, () => logged(key, work)),
      queues: () => new Map(keyedConcurrency.states().map(({ name, running, waiting }) => [name, running + waiting])),
    },
  });
  return {
    queueStates: () => keyedConcurrency.states(),
    sweeps: () => sweeping.states(),
    async stop(seconds) {
      await Promise.race([Promise.all([sweeping.stop(), keyedConcurrency.stop()]), pause(seconds * 1000)]);
    },
  };
}
