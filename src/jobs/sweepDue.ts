import type { AppContext } from '../platform/appContext.ts';
import type { QueueOptions } from './keyedConcurrency.ts';
import type { Sweep } from './sweeps.ts';

/** A piece of work that is due. */
export interface DueWork {
  /** What it is about, among the work of its task. */
  readonly key: string | number;
  /** The service that it waits for. */
  readonly queue: string | QueueOptions;
  /** Must claim its row before anything else: another node may have found the same work. */
  readonly run: () => Promise<void>;
}

interface DueSweep extends Pick<Sweep, 'name' | 'dueIn'> {
  /** Name of the work in metrics and logs. */
  readonly task: string;
  readonly findDue: (context: AppContext) => Promise<readonly DueWork[]>;
}

/**
 * Create a sweep that starts the work of each due row, except beside work of the same key that waits or runs in this
 * process. Work that is not started, or fails, is found again: its row stays due, or says when to try again.
 */
export const sweepDue = ({ task, findDue, ...sweep }: DueSweep): Sweep => ({
  ...sweep,
  async run(context, { isStarted, start }) {
    for (const { key, queue, run } of await findDue(context)) {
      const name = `${task}:${key}`;
      if (!isStarted(name)) start(queue, name, () => runObserved(context, { task, name, run }));
    }
  },
});

/** Run work, measured; a failure is logged. */
async function runObserved(
  { log, metrics }: AppContext,
  { task, name, run }: Pick<DueWork, 'run'> & { readonly task: string; readonly name: string },
): Promise<void> {
  const stopTimer = metrics.jobSeconds.startTimer({ task });
  try {
    await run();
    metrics.jobs.inc({ task, outcome: 'done' });
  } catch (error) {
    metrics.jobs.inc({ task, outcome: 'failed' });
    log.warn({ task, work: name, error: error instanceof Error ? error.message : String(error) }, 'job failed');
  } finally {
    stopTimer();
  }
}
