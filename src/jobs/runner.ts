/**
 * The job runner. Jobs are wake-up calls: the work itself is stored on domain rows, and a sweep once a second enqueues
 * whatever is due. A lost or duplicate job costs a moment and never a message.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type Runner, type RunnerOptions, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { AppContext } from '../platform/appContext.ts';
import { SWEEP_CHANNEL } from '../platform/notifications.ts';
import { openPool } from '../platform/openDb.ts';
import { createKeyedConcurrency, type QueueState } from './keyedConcurrency.ts';

export interface Task {
  readonly name: string;
  /**
   * Return the concurrency key of work that waits for an outside service: the service that it waits for. The job then
   * only submits the work; a sweep must enqueue it again until it is done. Null when there is nothing left to do.
   */
  concurrencyKey?(context: AppContext, payload: unknown): Promise<string | null>;
  run(context: AppContext, payload: unknown): Promise<void>;
}

/** What a sweep may use. */
export interface SweepTools {
  /** Whether the work of a job's key already waits in a concurrency queue of this process. */
  readonly isWaiting: (key: string) => boolean;
  /**
   * Start work that waits for an outside service; a few of a queue run at once, the others wait for them. Returns false
   * if the work will not run: the process stops, or the queue is full.
   */
  readonly start: (queue: string, key: string, work: () => Promise<void>) => boolean;
  /** Return how many pieces of work of each queue run or wait. */
  readonly queues: () => ReadonlyMap<string, number>;
  /** Have this sweep run again at once. */
  readonly wake: () => void;
}

/**
 * A check that runs once a second on every worker node, and whenever a notification names it; must be cheap when
 * nothing is due.
 */
export interface Sweep {
  readonly name: string;
  /** Do or enqueue what is due. Resolves to true if more is due at once, or to the milliseconds until more is due. */
  run(context: AppContext, tools: SweepTools): Promise<unknown>;
}

export interface SweepState {
  readonly name: string;
  /** Seconds since it last succeeded, or since the start when it never did. */
  readonly seconds: number;
  /** Error message of its last run; null when that succeeded. */
  readonly error: string | null;
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
  // Errors need no handling here: `runObserved` has logged and counted them.
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

  const startedAt = performance.now();
  const lastRuns = new Map<string, { at: number; error: string | null }>(
    sweeps.map(({ name }) => [name, { at: startedAt, error: null }]),
  );
  const sweepLoops = startSweeping(context, {
    sweeps,
    tools: {
      isWaiting: (key) => keyedConcurrency.isWaiting(key),
      start: (queue, key, work) => keyedConcurrency.submit(queue, key, work),
      queues: () => new Map(keyedConcurrency.states().map(({ name, running, waiting }) => [name, running + waiting])),
    },
    lastRuns,
  });
  return {
    get isAlive() {
      return runner !== null;
    },
    lockedBy: () => lockedBy,
    queueStates: () => keyedConcurrency.states(),
    sweeps: () =>
      [...lastRuns].map(([name, { at, error }]) => ({ name, seconds: (performance.now() - at) / 1000, error })),
    async stop(seconds) {
      stopping = true;
      const ended = Promise.all([runner?.stop().catch(() => undefined), sweepLoops.stop(), keyedConcurrency.stop()]);
      await Promise.race([ended, pause(seconds * 1000)]);
      await Promise.race([pool.end(), pause(500)]);
    },
  };
}

function runnerOptions({ log, config: { concurrency } }: AppContext): RunnerOptions {
  return {
    concurrency,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: 1000,
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
      const work = () => runObserved(payload, () => task.run(context, payload));
      if (concurrencyKey !== null) keyedConcurrency.submit(concurrencyKey, job.key ?? job.id, work);
    };
  }
  return taskList;
}

/** Run the sweeps until stopped. Each has its own loop: one that takes long, or hangs, does not delay the others. */
function startSweeping(
  context: AppContext,
  {
    sweeps,
    tools,
    lastRuns,
  }: {
    sweeps: readonly Sweep[];
    tools: Omit<SweepTools, 'wake'>;
    lastRuns: Map<string, { at: number; error: string | null }>;
  },
): { stop(): Promise<void> } {
  const period = context.config.sweepIntervalSeconds * 1000;
  const timers = new Map(sweeps.map(({ name }) => [name, createWakeableSleep()]));
  const wakeAll = () => {
    for (const timer of timers.values()) timer.wake();
  };
  let stopped = false;
  const unsubscribe = context.notifications.on(
    SWEEP_CHANNEL,
    (name) => (name === '' ? wakeAll() : timers.get(name)?.wake()),
    wakeAll,
  );
  const loops = sweeps.map(async (sweep, index) => {
    const timer = timers.get(sweep.name) ?? createWakeableSleep();
    // Spread the sweeps over the period: started together, each would want a connection at the same moment.
    await timer.sleep((index / sweeps.length) * period);
    while (!stopped) {
      const stopTimer = context.metrics.sweeps.startTimer({ sweep: sweep.name });
      let next: unknown = false;
      try {
        next = await sweep.run(context, { ...tools, wake: () => timer.wake() });
        stopTimer({ outcome: 'done' });
        lastRuns.set(sweep.name, { at: performance.now(), error: null });
      } catch (failure) {
        stopTimer({ outcome: 'failed' });
        const error = failure instanceof Error ? failure.message : String(failure);
        lastRuns.set(sweep.name, { at: lastRuns.get(sweep.name)?.at ?? performance.now(), error });
        context.log.warn({ sweep: sweep.name, error }, 'sweep failed');
      }
      if (!stopped && next !== true) await timer.sleep(typeof next === 'number' ? Math.min(next, period) : period);
    }
  });
  return {
    async stop() {
      stopped = true;
      unsubscribe();
      wakeAll();
      await Promise.all(loops);
    },
  };
}

/** A sleep that can be cut short. A wake-up between two sleeps skips the next one. */
interface WakeableSleep {
  wake(): void;
  sleep(ms: number): Promise<void>;
}

function createWakeableSleep(): WakeableSleep {
  let isWoken = false;
  let sleepAbort: AbortController | null = null;
  return {
    wake() {
      isWoken = true;
      sleepAbort?.abort();
    },
    async sleep(ms) {
      if (!isWoken) {
        sleepAbort = new AbortController();
        await pause(ms, undefined, { signal: sleepAbort.signal }).catch(() => undefined);
        sleepAbort = null;
      }
      isWoken = false;
    },
  };
}
