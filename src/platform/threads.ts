/**
 * Threads for work that would block the event loop, with a time budget. Each kind of work has its own threads; they
 * start when needed and end after being idle for a while. Only one task of a key (a company) runs at a time, so that
 * one company's work cannot take the threads of others.
 */
import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { commonRefusals, refuse } from './refuse.ts';

/** A kind of work. Created once, at the top of a module. */
export interface ThreadKind<Input, Output> {
  readonly name: string;
  /** A module that calls `serveThread`. */
  readonly module: URL;
  /** Maximum number of threads. */
  readonly threads: number;
  /** Wall-clock milliseconds of one task, without its wait in the queue and the start of its thread. */
  readonly budgetMs: number;
  /**
   * Milliseconds of CPU time of one task, for work that only computes: a busy machine does not shorten it. `budgetMs` is
   * then what a machine may need for it that has ten times too much to do.
   */
  readonly cpuMs?: number;
  /** Megabytes that one thread may allocate. */
  readonly heapMb: number;
  /**
   * Maximum number of waiting tasks, of one key and of all; any further task is refused. A task that waits longer than
   * `ms` is refused too; null for tasks so short that none waits long.
   */
  readonly waiting: { readonly ofKey: number; readonly ofAll: number; readonly ms: number | null };
  /** Used only for its types. */
  readonly types?: (input: Input) => Output;
}

export interface Threads {
  /**
   * Run a task in a thread. Throws `BudgetExceeded`, the refusal `overloaded` (503) when too many tasks wait or this one
   * waits too long, and any error of the task itself. A task that still waits when `signal` aborts is dropped.
   */
  run<Input, Output>(
    kind: ThreadKind<Input, Output>,
    work: { readonly key: string; readonly input: Input; readonly signal?: AbortSignal },
  ): Promise<Output>;
  /** Return the number of running tasks of a kind. */
  running(kind: ThreadKind<never, unknown>): number;
  close(): Promise<void>;
}

/** Data that a thread is started with. */
export interface ThreadData {
  readonly databaseUrl: string;
  /** The key of the installation's hashes; null for threads that find nothing by a hash. */
  readonly hashKey: KeyObject | null;
}

/** The task took more time or memory than its kind allows; its thread was terminated. */
export class BudgetExceeded extends Error {}

/** An error in transit between threads: structured cloning would drop its fields. */
export interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
export type ThreadReply = { readonly output: unknown } | { readonly error: ThreadError };
/** What a thread says first, once it has loaded its modules. */
export const READY = 'ready';

const IDLE_MS = 30_000;
/** How long a thread may take to start. [On a machine with ten times too much to do, one took 6 s.] */
const START_MS = 60_000;
const RETRY_SECONDS = 2;

const overloaded = () => refuse(commonRefusals, 'overloaded', { retryAfter: RETRY_SECONDS });

interface ThreadTask {
  readonly key: string;
  readonly input: unknown;
  /** Refuses the task while it waits. */
  timer?: NodeJS.Timeout;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Pool {
  run(key: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown>;
  running(): number;
  close(): Promise<void>;
}

/** Create the threads of a process, which read the database at `databaseUrl`. */
export function createThreads(databaseUrl: string, hashKey: KeyObject | null = null): Threads {
  const pools = new Map<string, Pool>();
  let closed = false;
  return {
    async run(kind, { key, input, signal }) {
      if (closed) throw overloaded();
      const pool = pools.get(kind.name) ?? createPool(kind, { databaseUrl, hashKey });
      pools.set(kind.name, pool);
      // The thread's module is typed by the same kind.
      return (await pool.run(key, input, signal)) as never;
    },
    running: (kind) => pools.get(kind.name)?.running() ?? 0,
    async close() {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function createPool(kind: ThreadKind<never, unknown>, workerData: ThreadData): Pool {
  /** Waiting tasks by key; keys take turns. */
  const waiting = new Map<string, ThreadTask[]>();
  const busyKeys = new Set<string>();
  const workers = createWorkers(kind, workerData);
  let waitingCount = 0;

  function takeNext(): ThreadTask | null {
    for (const [key, tasks] of waiting) {
      if (busyKeys.has(key)) continue;
      const task = tasks.shift();
      waiting.delete(key);
      // Move the key behind all others.
      if (tasks.length > 0) waiting.set(key, tasks);
      if (!task) continue;
      waitingCount--;
      clearTimeout(task.timer);
      return task;
    }
    return null;
  }

  function serveNext(): void {
    while (busyKeys.size < kind.threads) {
      const task = takeNext();
      if (!task) return;
      const worker = workers.take();
      busyKeys.add(task.key);
      runTask({ kind, task, worker, hasStarted: workers.hasStarted(worker) }, (isUsable) => {
        busyKeys.delete(task.key);
        if (isUsable) workers.markIdle(worker);
        serveNext();
      });
    }
  }

  return {
    async run(key, input, signal) {
      signal?.throwIfAborted();
      const tasks = waiting.get(key) ?? [];
      if (waitingCount >= kind.waiting.ofAll || tasks.length >= kind.waiting.ofKey) throw overloaded();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const task: ThreadTask = { key, input, resolve, reject };
      const drop = (reason: unknown): void => {
        const at = tasks.indexOf(task);
        if (at < 0) return;
        tasks.splice(at, 1);
        waitingCount--;
        if (tasks.length === 0) waiting.delete(key);
        clearTimeout(task.timer);
        reject(reason);
      };
      tasks.push(task);
      waiting.set(key, tasks);
      waitingCount++;
      if (kind.waiting.ms !== null) task.timer = setTimeout(() => drop(overloaded()), kind.waiting.ms);
      signal?.addEventListener('abort', () => drop(signal.reason), { once: true });
      serveNext();
      return promise;
    },
    running: () => busyKeys.size,
    async close() {
      for (const task of [...waiting.values()].flat()) {
        clearTimeout(task.timer);
        task.reject(overloaded());
      }
      waiting.clear();
      waitingCount = 0;
      await workers.terminate();
    },
  };
}

/** Run a task in a thread. `onEnd` is called once; `isUsable` tells whether the thread can take another task. */
function runTask(
  {
    kind,
    task,
    worker,
    hasStarted,
  }: { kind: ThreadKind<never, unknown>; task: ThreadTask; worker: Worker; hasStarted: boolean },
  onEnd: (isUsable: boolean) => void,
): void {
  worker.ref();
  let timer: NodeJS.Timeout;
  let stopWatching = (): void => undefined;
  const end = (isUsable: boolean): void => {
    clearTimeout(timer);
    stopWatching();
    worker.off('message', answered).off('error', failed).off('exit', exited);
    onEnd(isUsable);
  };
  const answered = (reply: ThreadReply | typeof READY): void => {
    if (reply === READY) return startBudget();
    end(true);
    if ('output' in reply) task.resolve(reply.output);
    else task.reject(deserializeError(reply.error));
  };
  const failed = (error: Error): void => {
    end(false);
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    task.reject(isMemory ? new BudgetExceeded(`${kind.name}: out of memory`) : error);
  };
  const exited = (): void => {
    end(false);
    task.reject(overloaded());
  };
  const giveUp = (error: Error): void => {
    end(false);
    task.reject(error);
    void worker.terminate();
  };
  const startBudget = (): void => {
    clearTimeout(timer);
    if (kind.cpuMs !== undefined) stopWatching = watchCpu({ worker, kind, limitMs: kind.cpuMs }, giveUp);
    timer = setTimeout(() => {
      giveUp(new BudgetExceeded(`${kind.name}: longer than ${kind.budgetMs} ms`));
    }, kind.budgetMs);
  };
  if (hasStarted) startBudget();
  else timer = setTimeout(() => giveUp(overloaded()), START_MS);
  worker.on('message', answered).once('error', failed).once('exit', exited);
  worker.postMessage(task.input);
}

const WATCH_MS = 200;

/** Call `onExceeded` once a thread has used more CPU time from now on. Returns a function that stops watching. */
function watchCpu(
  { worker, kind, limitMs }: { worker: Worker; kind: ThreadKind<never, unknown>; limitMs: number },
  onExceeded: (error: BudgetExceeded) => void,
): () => void {
  let isWatched = true;
  // Answered also while the thread computes. It is rejected when the thread ends, which its task hears of anyway.
  const readMs = (): Promise<number> =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0,
    );
  const before = readMs();
  const check = async (): Promise<void> => {
    const used = (await readMs()) - (await before);
    if (isWatched && used > limitMs)
      onExceeded(new BudgetExceeded(`${kind.name}: more than ${limitMs} ms of CPU time`));
    else if (isWatched) timer.refresh();
  };
  const timer = setTimeout(() => void check(), WATCH_MS);
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
}

/** Start the threads of a kind, and keep idle ones for a while. */
function createWorkers(kind: ThreadKind<never, unknown>, workerData: ThreadData) {
  /** Idle threads, each with the timer that terminates it. */
  const idle = new Map<Worker, NodeJS.Timeout>();
  const all = new Set<Worker>();
  /** Threads that have loaded their modules. */
  const started = new WeakSet<Worker>();

  function start(): Worker {
    const worker = new Worker(kind.module, {
      name: kind.name,
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: kind.heapMb },
    });
    all.add(worker);
    // The task's own listener reports the failure of a thread to its task.
    worker.on('error', () => undefined);
    worker.once('message', () => started.add(worker));
    worker.once('exit', () => {
      all.delete(worker);
      idle.delete(worker);
    });
    return worker;
  }

  return {
    hasStarted: (worker: Worker): boolean => started.has(worker),
    /** Take the idle thread that was used last, or start one. */
    take(): Worker {
      const worker = [...idle.keys()].at(-1);
      if (!worker) return start();
      clearTimeout(idle.get(worker));
      idle.delete(worker);
      return worker;
    },
    markIdle(worker: Worker): void {
      worker.unref();
      idle.set(worker, setTimeout(() => void worker.terminate(), IDLE_MS).unref());
    },
    async terminate(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function deserializeError({ name, message, fields }: ThreadError): Error {
  return Object.assign(new Error(message), { name }, fields);
}
