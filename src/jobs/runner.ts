/**
 * The job runner. Jobs are wake-up calls: the work itself is stored on domain rows, and sweeps enqueue whatever is due. A
 * lost or duplicate job costs a moment and never a message.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type Runner, type RunnerOptions, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { AppContext } from '../platform/appContext.ts';
import { openPool } from '../platform/openDb.ts';
import { createKeyedConcurrency, type QueueState } from './keyedConcurrency.ts';
import { type Sweep, type SweepState, startSweeping } from './sweeps.ts';

export interface Task {
  readonly name: string;
  /**
   * Return the concurrency key of work that waits for an outside service: the service that it waits for. The job then
   * only submits the work; a sweep must enqueue it again until it is done. Null when there is nothing left to do.
   */
  concurrencyKey?(context: AppContext, payload: unknown): Promise<string | null>;
  /** How many of one concurrency key run at once in this process, at most. */
  readonly slots?: number;
  run(context: AppContext, payload: unknown): Promise<void>;
}

export interface JobRunner {
  /** Whether the runner takes jobs. */
  readonly isAlive: boolean;
  /** Return the name under which this runner locks jobs. */
  lockedBy(): string | null;
  /** Return the state of the concurrency queues. */
  queueStates(): QueueState[];
  /** Return when each sweep last succeeded. */
  sweeps(): SweepState[];
  /** Stop and let running jobs end, within `seconds`. */
  stop(seconds: number): Promise<void>;
}

/**
 * Milliseconds that a runner may take to end by itself. It may wait for a long job, and when the database refused two
 * of its failures it never ends (seen with a full disk; graphile-worker 0.18.0 counts the second one twice). Its jobs
 * are unlocked after the lease, since no live instance has its name any more.
 */
const RUNNER_STOP_TIMEOUT_MS = 5000;

/**
 * The runner fetches jobs in batches and completes them in batches, so it has few statements under way however many
 * jobs run: one connection listens, one fetches, one completes, one records failures. Jobs use the main pool.
 */
const RUNNER_CONNECTIONS = 4;

/** Start taking jobs and sweeping. */
export async function startJobs(
  context: AppContext,
  { url, tasks, sweeps }: { url: string; tasks: readonly Task[]; sweeps: readonly Sweep[] },
): Promise<JobRunner> {
  const { log, metrics, config } = context;
  const pool = openPool(url, log, {
    max: RUNNER_CONNECTIONS,
    name: 'rapport jobs',
    rawTypes: true,
    metrics,
  });
  /** Nothing else reports an error of work that a sweep has started. */
  const logged = (key: string, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => log.error({ work: key, error: String(error) }, 'work of a sweep failed'));
  // Errors need no handling here: they are logged, and those of jobs are counted by `runObserved`.
  const keyedConcurrency = createKeyedConcurrency(
    config.concurrency,
    () => undefined,
    (count) => metrics.keyedWork.set(count),
  );
  const taskList = createTaskList(context, tasks, keyedConcurrency);
  let runner: Runner | null = null;
  let stopping = false;
  let lockedBy: string | null = null;

  async function start(): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    const ending = Promise.withResolvers<void>();
    events.on('pool:gracefulShutdown', () => ending.resolve());
    events.on('pool:create', ({ workerPool }) => {
      lockedBy = workerPool.id;
    });
    runner = await run({ ...runnerOptions(context), pgPool: pool, events, taskList });
    const current = runner;
    const ended = current.promise.catch(() => undefined);
    // The runner ends when its database is unavailable for long or refuses its writes; a new one replaces it.
    void Promise.race([ended, ending.promise.then(() => Promise.race([ended, pause(RUNNER_STOP_TIMEOUT_MS)]))]).then(
      async () => {
        if (stopping || runner !== current) return;
        runner = null;
        while (!stopping && runner === null) {
          await pause(500);
          await start().catch((error: unknown) => log.warn({ error: String(error) }, 'job runner does not start'));
        }
      },
    );
  }
  await start();

  const sweeping = startSweeping(context, {
    sweeps,
    tools: {
      isWaiting: (key) => keyedConcurrency.isWaiting(key),
      start: (queue, key, work) => keyedConcurrency.submit(queue, key, () => logged(key, work)),
      queues: () => new Map(keyedConcurrency.states().map(({ name, running, waiting }) => [name, running + waiting])),
    },
  });
  return {
    get isAlive() {
      return runner !== null;
    },
    lockedBy: () => lockedBy,
    queueStates: () => keyedConcurrency.states(),
    sweeps: () => sweeping.states(),
    async stop(seconds) {
      stopping = true;
      const ended = Promise.all([runner?.stop().catch(() => undefined), sweeping.stop(), keyedConcurrency.stop()]);
      await Promise.race([ended, pause(seconds * 1000)]);
      await Promise.race([pool.end(), pause(500)]);
    },
  };
}

function runnerOptions({ log, config: { concurrency, sweepIntervalSeconds } }: AppContext): RunnerOptions {
  return {
    concurrency,
    noHandleSignals: true,
    noPreparedStatements: false,
    // New jobs are notified. The poll finds those that are retried later or were unlocked, unless a sweep adds them again.
    pollInterval: Math.max(1000, 5000 * sweepIntervalSeconds),
    preset: {
      worker: {
        // With batching, a completion that the database refuses ends the runner, which is then replaced. Without it, it
        // would be an unhandled rejection, and the job would stay locked in this runner's name.
        completeJobBatchDelay: 5,
        failJobBatchDelay: 0,
        // Fetch jobs in batches. Jobs that a runner has fetched but not started are returned when it ends, and unlocked
        // by the lease when it dies. [With the delay above, 47 instead of 55 transactions for a message and its answer]
        localQueue: { size: concurrency + 1, ttl: 20_000 },
      },
    },
    logger: new Logger(() => (level, message) => {
      if (level === 'error') log.warn({ message }, 'job runner');
    }),
  };
}

/** Wrap the tasks, so that their runs are measured and failures logged. */
function createTaskList(
  context: AppContext,
  tasks: readonly Task[],
  keyedConcurrency: ReturnType<typeof createKeyedConcurrency>,
): TaskList {
  const { log, metrics } = context;
  const taskList: TaskList = {};
  for (const task of tasks) {
    const runObserved = async (payload: unknown, work: () => Promise<void>): Promise<void> => {
      const stopTimer = metrics.jobSeconds.startTimer({ task: task.name });
      try {
        await work();
        metrics.jobs.inc({ task: task.name, outcome: 'done' });
      } catch (error) {
        metrics.jobs.inc({ task: task.name, outcome: 'failed' });
        log.warn(
          { task: task.name, payload, error: error instanceof Error ? error.message : String(error) },
          'job failed',
        );
        throw error;
      } finally {
        stopTimer();
      }
    };
    taskList[task.name] = async (payload, { job }) => {
      if (!task.concurrencyKey) return runObserved(payload, () => task.run(context, payload));
      const concurrencyKey = await task.concurrencyKey(context, payload);
      if (concurrencyKey === null) return;
      const queue = { name: concurrencyKey, slots: task.slots ?? context.config.concurrency };
      keyedConcurrency.submit(queue, job.key ?? job.id, () => runObserved(payload, () => task.run(context, payload)));
    };
  }
  return taskList;
}
