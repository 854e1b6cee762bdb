/**
 * The engine room. Jobs are wake-up calls: what is to be done stands on domain rows, and a sweep once a second wakes
 * whatever is due, so a lost or doubled job costs a moment and never a message.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type { AppContext } from '../platform/appContext.ts';
import { openPool, type Tx } from '../platform/db.ts';
import { createKeyedConcurrency, type QueueState } from './keyedConcurrency.ts';

export interface Task {
  readonly name: string;
  /**
   * For work that waits for somebody outside: the lane of the one it waits for. The job then only begins it; it must be
   * called for again by a sweep until it is done. Null: there is nothing to do any more.
   */
  concurrencyKey?(context: AppContext, payload: unknown): Promise<string | null>;
  run(context: AppContext, payload: unknown): Promise<void>;
}

/** Runs once a second on every worker node; has to be cheap when nothing is due. */
export interface Sweep {
  readonly name: string;
  /** `isScheduledLater` tells of a job's key whether its work waits here for a place in its lane. */
  run(context: AppContext, isWaiting: (key: string) => boolean): Promise<void>;
}

/** A notice on this channel has every worker sweep at once: a clock was moved. */
export const SWEEP_CHANNEL = 'sweep';

export interface SweepState {
  readonly name: string;
  /** Seconds since it last ended well; since the start when it never did. */
  readonly seconds: number;
  /** What its last run failed with. */
  readonly error: string | null;
}

export interface JobRunner {
  /** Whether the runner takes jobs. */
  readonly isAlive: boolean;
  /** The name under which this runner locks jobs. */
  lockedBy(): string | null;
  /** What runs beside the jobs. */
  queueStates(): QueueState[];
  /** When each sweep last ran to its end. */
  sweeps(): SweepState[];
  /** Lets running jobs end, at most `seconds`. */
  stop(seconds: number): Promise<void>;
}

/** Puts a job beside the write that calls for it. With a key, a waiting job of that key is not doubled. */
export async function enqueue(tx: Tx, task: string, payload: object, key?: string): Promise<void> {
  await sql`select graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, job_key := ${key ?? null}, max_attempts := 3)`.execute(
    tx,
  );
}

/**
 * The same from the pool, for sweeps. One round trip for any number of jobs. What is ready to be taken, or in the hand of
 * the living, is left as it is: written again each second it would be in the way of those who complete it. [600 due
 * turns called for anew every 50 ms: a deadlock with the completions, which ends the runner, within a second.]
 */
export async function enqueueMany(
  { pool, metrics }: Pick<AppContext, 'pool' | 'metrics'>,
  task: string,
  jobs: readonly { payload: object; key: string }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const { rowCount } = await pool.query(
    `select graphile_worker.add_job($1, (one->>'payload')::json, job_key := one->>'key', max_attempts := 3)
       from jsonb_array_elements($2::jsonb) as one
      where not exists (
        select 1 from graphile_worker._private_jobs j
         where j.key = one->>'key'
           and case when j.locked_by is null then j.run_at <= now() and j.attempts < j.max_attempts
                    else exists (select 1 from nodes n where n.ended_at is null and n.locked_by = j.locked_by) end)`,
    [task, JSON.stringify(jobs.map(({ payload, key }) => ({ payload: JSON.stringify(payload), key })))],
  );
  metrics.enqueuedJobs.inc({ task }, rowCount ?? 0);
}

/**
 * A runner that ends by itself gets so long. It may wait for a job that takes long, and when two of its failures were
 * refused by the database it waits for ever (seen with a full disk; graphile-worker 0.18.0 counts the second one twice). What it has
 * in hand is freed after the lease, since no living node bears its name any more.
 */
const RUNNER_STOP_TIMEOUT_MS = 5000;

/** Starts taking jobs and sweeping. */
export async function startJobs(
  context: AppContext,
  url: string,
  tasks: readonly Task[],
  sweeps: readonly Sweep[],
): Promise<JobRunner> {
  const { log, metrics, config } = context;
  const pool = openPool(url, log, {
    max: config.concurrency + 2,
    name: 'rapport jobs',
    rawTypes: true,
    metrics,
  });
  // What work throws has been told by then.
  const keyedConcurrency = createKeyedConcurrency(
    config.concurrency,
    () => undefined,
    (count) => metrics.keyedWork.set(count),
  );
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
    runner = await run({
      pgPool: pool,
      events,
      taskList,
      concurrency: config.concurrency,
      noHandleSignals: true,
      noPreparedStatements: false,
      pollInterval: 1000,
      preset: {
        worker: {
          // Batched, a completion that the database refuses ends the runner, which is then replaced; one by one it would
          // be an unhandled rejection, and the job would stay locked in this runner's name.
          completeJobBatchDelay: 5,
          failJobBatchDelay: 0,
          // Fetched together, not each for itself. What a runner holds and has not begun goes back when it ends, and by the
          // lease when it dies. [With the delay above, 47 instead of 55 transactions for a message and its answer]
          localQueue: { size: config.concurrency + 1, ttl: 20_000 },
        },
      },
      logger: new Logger(() => (level, message) => {
        if (level === 'error') log.warn({ message }, 'job runner');
      }),
    });
    const current = runner;
    const ended = current.promise.catch(() => undefined);
    // The runner gives up when its database is gone for long, or refuses what it says; a new one takes its place.
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
  const sweepLoops = startSweeping(context, sweeps, (key) => keyedConcurrency.isWaiting(key), lastRuns);
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

/** Sweeps until it is stopped. Each for itself: one that takes long, or hangs, keeps no other waiting. */
function startSweeping(
  context: AppContext,
  sweeps: readonly Sweep[],
  isWaiting: (key: string) => boolean,
  lastRuns: Map<string, { at: number; error: string | null }>,
): { stop(): Promise<void> } {
  const period = context.config.sweepIntervalSeconds * 1000;
  const timers: WakeableSleep[] = [];
  let stopped = false;
  const unsubscribe = context.notifications.on(
    SWEEP_CHANNEL,
    () => {
      for (const timer of timers) timer.wake();
    },
    () => undefined,
  );
  const loops = sweeps.map(async (sweep, index) => {
    const timer = createWakeableSleep();
    timers.push(timer);
    // Spread over the period: begun together, they would each want a connection at the same moment.
    await timer.sleep((index / sweeps.length) * period);
    while (!stopped) {
      const stopTimer = context.metrics.sweeps.startTimer({ sweep: sweep.name });
      try {
        await sweep.run(context, isWaiting);
        stopTimer({ outcome: 'done' });
        lastRuns.set(sweep.name, { at: performance.now(), error: null });
      } catch (failure) {
        stopTimer({ outcome: 'failed' });
        const error = failure instanceof Error ? failure.message : String(failure);
        lastRuns.set(sweep.name, { at: lastRuns.get(sweep.name)?.at ?? performance.now(), error });
        context.log.warn({ sweep: sweep.name, error }, 'sweep failed');
      }
      if (!stopped) await timer.sleep(period);
    }
  });
  return {
    async stop() {
      stopped = true;
      unsubscribe();
      for (const timer of timers) timer.wake();
      await Promise.all(loops);
    },
  };
}

/** A sleep that can be cut short; one that was rung for meanwhile is not begun. */
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
