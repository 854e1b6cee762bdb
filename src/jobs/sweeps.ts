/**
 * Sweeps find due work. Each has its own loop, which sleeps until something is due for it: a notification names it, one
 * poll a second of all sweeps finds work for it, or an instant comes that was known before.
 */
import type { AppContext } from '../platform/appContext.ts';
import { parseWakeUp, SWEEP_CHANNEL } from '../platform/notifications.ts';
import type { QueueOptions } from './keyedConcurrency.ts';
import { createDueQuery, type DueIn } from './store/dueWork.ts';
import { createWakeUp, type WakeUp } from './wakeUp.ts';

/** What a sweep may use. */
export interface SweepTools {
  /** Whether work of this key waits or runs in a concurrency queue of this process. */
  readonly isStarted: (key: string) => boolean;
  /**
   * Start work that waits for an outside service; a few of a queue run at once, the others wait for them. Returns false
   * if the work will not run: the process stops, or the queue is full.
   */
  readonly start: (queue: string | QueueOptions, key: string, work: () => Promise<void>) => boolean;
  /** Return how many pieces of work of each queue run or wait. */
  readonly queues: () => ReadonlyMap<string, number>;
  /** Have this sweep run again, in `ms` milliseconds; by default at once. */
  readonly wake: (ms?: number) => void;
}

/** Finds and does due work on every worker node; runs once at the start, and then when it is woken. */
export interface Sweep {
  readonly name: string;
  /** When it has work, as SQL that the poll evaluates; null if only its own timer and notifications wake it. */
  readonly dueIn: ((context: AppContext) => DueIn) | null;
  /**
   * How long it waits once it is woken, milliseconds, so that what comes meanwhile is done together; by default not at
   * all.
   */
  readonly gatherMs?: number;
  /** Do or start what is due. Resolves to true if more is due at once, or to the milliseconds until more is due. */
  run(context: AppContext, tools: SweepTools): Promise<unknown>;
}

export interface SweepState {
  readonly name: string;
  /** Seconds since it last succeeded or had nothing to do, or since the start. */
  readonly seconds: number;
  /** Error message of its last run; null when that succeeded. */
  readonly error: string | null;
}

export interface Sweeping {
  states(): SweepState[];
  stop(): Promise<void>;
}

interface SweepOptions {
  readonly sweeps: readonly Sweep[];
  readonly tools: Omit<SweepTools, 'wake'>;
}

/** Milliseconds within which all sweeps run for the first time. */
const SPREAD_MS = 1000;

interface Loop {
  readonly sweep: Sweep;
  readonly wakeUp: WakeUp;
  readonly gathering: WakeUp;
  readonly state: { at: number; error: string | null; isRunning: boolean };
}

/** Run the sweeps until stopped. One that takes long, or hangs, does not delay the others. */
export function startSweeping(context: AppContext, { sweeps, tools }: SweepOptions): Sweeping {
  const period = context.config.sweepIntervalSeconds * 1000;
  const startedAt = performance.now();
  const loops = sweeps.map(
    (sweep): Loop => ({
      sweep,
      wakeUp: createWakeUp(),
      gathering: createWakeUp(),
      state: { at: startedAt, error: null, isRunning: false },
    }),
  );
  const byName = new Map(loops.map((loop) => [loop.sweep.name, loop]));
  const nextPoll = createWakeUp();
  let stopped = false;
  const unsubscribe = context.notifications.on(
    SWEEP_CHANNEL,
    (payload) => {
      const { name, inMs } = parseWakeUp(payload);
      if (name === '') wakeAll(loops);
      else byName.get(name)?.wakeUp.wake(inMs);
    },
    () => wakeAll(loops),
  );

  async function runUntilStopped(loop: Loop, index: number): Promise<void> {
    // Spread the first runs: started together, each would want a connection at the same moment.
    loop.wakeUp.wake((index / loops.length) * Math.min(period, SPREAD_MS));
    for (let hasMore = false; ; ) {
      await loop.wakeUp.wait();
      if (!hasMore && !stopped) await gather(loop);
      if (stopped) return;
      hasMore = await runSweep(context, tools, loop);
    }
  }

  async function pollUntilStopped(): Promise<void> {
    const poll = createPoll(context, loops);
    for (;;) {
      nextPoll.wake(period);
      await nextPoll.wait();
      if (stopped) return;
      await poll();
    }
  }

  const ended = Promise.all([pollUntilStopped(), ...loops.map(runUntilStopped)]);
  return {
    states: () =>
      loops.map(({ sweep: { name }, state }) => ({
        name,
        seconds: (performance.now() - state.at) / 1000,
        error: state.error,
      })),
    async stop() {
      stopped = true;
      unsubscribe();
      nextPoll.wake();
      wakeAll(loops);
      for (const { gathering } of loops) gathering.wake();
      await ended;
      for (const { wakeUp, gathering } of loops) for (const one of [wakeUp, gathering]) one.clear();
      nextPoll.clear();
    },
  };
}

function wakeAll(loops: readonly Loop[]): void {
  for (const { wakeUp } of loops) wakeUp.wake();
}

/** Wait for what comes together with that for which a sweep was woken. */
async function gather({ sweep, wakeUp, gathering }: Loop): Promise<void> {
  if (sweep.gatherMs === undefined) return;
  gathering.wake(sweep.gatherMs);
  await gathering.wait();
  if (wakeUp.isPending) await wakeUp.wait();
}

/** Run a sweep once, and set when it runs again. Returns whether more is due at once. */
async function runSweep(
  context: AppContext,
  tools: SweepOptions['tools'],
  { sweep, wakeUp, state }: Loop,
): Promise<boolean> {
  const stopTimer = context.metrics.sweeps.startTimer({ sweep: sweep.name });
  state.isRunning = true;
  let next: unknown = false;
  try {
    next = await sweep.run(context, { ...tools, wake: (ms) => wakeUp.wake(ms) });
    if (next === true) wakeUp.wake();
    // In place of what an earlier run has said: with one more instant for each run, they would never end.
    wakeUp.wakeAgain(typeof next === 'number' ? next : Number.POSITIVE_INFINITY);
    stopTimer({ outcome: 'done' });
    Object.assign(state, { at: performance.now(), error: null });
  } catch (failure) {
    wakeUp.wakeAgain(context.config.sweepIntervalSeconds * 1000);
    stopTimer({ outcome: 'failed' });
    state.error = failure instanceof Error ? failure.message : String(failure);
    context.log.warn({ sweep: sweep.name, error: state.error }, 'sweep failed');
  }
  state.isRunning = false;
  return next === true;
}

/** Create the poll, which wakes every sweep that has work. */
function createPoll(context: AppContext, loops: readonly Loop[]): () => Promise<void> {
  const polled = loops.flatMap(({ sweep: { dueIn }, wakeUp }) => (dueIn ? [{ wakeUp, dueIn: dueIn(context) }] : []));
  const readDue = createDueQuery(
    context,
    polled.map(({ dueIn }) => dueIn),
  );
  return async () => {
    try {
      for (const [index, inMs] of (await readDue()).entries()) if (inMs !== null) polled[index]?.wakeUp.wake(inMs);
      for (const { wakeUp, state } of loops)
        if (!wakeUp.isPending && !state.isRunning && state.error === null) state.at = performance.now();
    } catch (error) {
      // Each sweep then looks for itself.
      context.log.warn({ error: String(error) }, 'the poll for due work failed');
      wakeAll(loops);
    }
  };
}
