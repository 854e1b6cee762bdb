/**
 * Delivers a vendor's hooks: in order within a lane, retried out of order, affected by the `hooks.*` faults. A hook is
 * queued in the journal before it is delivered.
 */
import { EventEmitter, once } from 'node:events';
import { createSemaphore } from '../../platform/semaphore.ts';
import type { Core } from './core.ts';
import type { FaultOccasion } from './faults.ts';
import { type Answer, request } from './http.ts';

interface QueuedHook {
  readonly hookId: string;
  readonly account: string;
  /** Hooks of one lane are sent in order. */
  readonly lane: string;
  readonly attempts: number;
}

/** Result of an attempt, as it is recorded. `settled` is absent if another attempt follows. */
interface Attempt extends Answer {
  readonly attempt: number;
  readonly tookMs: number;
  readonly settled?: 'delivered' | 'given_up' | 'dropped' | undefined;
}

/** The vendor's part of the delivery. */
interface Vendor<Hook extends QueuedHook> {
  /** Hooks that are queued and not settled. */
  readonly queued: ReadonlyMap<string, Hook>;
  /** Return where a hook goes now; null if nobody wants it any more. */
  addressOf(hook: Hook): string | null;
  /** Return the body of one hook, or of several in one. */
  bodyOf(hooks: readonly Hook[]): string;
  /** Whether the hook may share a body with others. */
  isMixable(hook: Hook): boolean;
  readonly contentType: string;
  timeoutMs(): number;
  isAccepted(status: number): boolean;
  /** Return the milliseconds until the next attempt; null if there is none. */
  pauseMs(hook: Hook, attempt: number, status: number | null): number | null;
  record(hooks: readonly Hook[], attempt: Attempt): void;
}

/** Simultaneous posts. A vendor's own number is not documented; this one sends a burst of hundreds quickly. */
const CONCURRENCY = 32;

export function createDelivery<Hook extends QueuedHook>({ timers, faults }: Core, vendor: Vendor<Hook>) {
  const answered = new EventEmitter();
  const inLane = createKeyedQueue();
  const stop = new AbortController();
  const limit = createSemaphore(CONCURRENCY);
  const running = new Set<Promise<void>>();
  const route = createRouter<Hook>({ timers, faults }, { vendor, settle, enter, sendAll });

  function track(work: Promise<void>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  /** Add a hook to its lane, which waits only for the first answer; retries run beside it. */
  function enter(hook: Hook): void {
    track(inLane(hook.lane, () => attempt([hook])));
  }

  /** Send bodies one after another, past the lanes. */
  function sendAll(bodies: readonly (readonly Hook[])[]): void {
    track(bodies.reduce((before, hooks) => before.then(() => attempt(hooks)), Promise.resolve()));
  }

  async function attempt(hooks: readonly Hook[]): Promise<void> {
    const [first] = hooks;
    if (first === undefined || stop.signal.aborted) return;
    const number = first.attempts + 1;
    const address = vendor.addressOf(first);
    if (address === null)
      return settle(hooks, { attempt: number, status: null, error: 'no address', tookMs: 0, settled: 'given_up' });
    const occasion = { account: first.account };
    const began = performance.now();
    const answer: Answer =
      faults.take('hooks.fail', occasion) === undefined
        ? await limit(() => post(address, hooks))
        : { status: null, error: 'did not get through' };
    if (stop.signal.aborted) return;
    const outcome = { attempt: number, ...answer, tookMs: Math.round(performance.now() - began) };
    if (answer.status !== null && vendor.isAccepted(answer.status))
      return settle(hooks, { ...outcome, settled: 'delivered' });
    const pauseMs = vendor.pauseMs(first, number, answer.status);
    if (pauseMs === null) return settle(hooks, { ...outcome, settled: 'given_up' });
    settle(hooks, outcome);
    timers.after(pauseMs, () => track(attempt(hooks)));
  }

  function post(address: string, hooks: readonly Hook[]): Promise<Answer> {
    const init = { method: 'POST', headers: { 'content-type': vendor.contentType }, body: vendor.bodyOf(hooks) };
    return request(address, init, vendor.timeoutMs(), [stop.signal]);
  }

  function settle(hooks: readonly Hook[], outcome: Attempt): void {
    vendor.record(hooks, outcome);
    for (const { hookId } of hooks) answered.emit(hookId);
  }

  return {
    /** Start delivering hooks that are in the journal. */
    deliver: (hookIds: readonly string[]): void => {
      for (const hook of hookIds.map((one) => vendor.queued.get(one))) if (hook !== undefined) route(hook);
    },
    /** Start delivering what a killed process had queued. */
    resume: (): void => {
      for (const hook of vendor.queued.values()) enter(hook);
    },
    /** Resolves when the hook got its first answer, or after `ms`. */
    firstAnswer: async (hookId: string, ms: number): Promise<void> => {
      await once(answered, hookId, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
    },
    /** Return the number of hooks that are queued and not settled. */
    pending: () => vendor.queued.size,
    close: async (): Promise<void> => {
      stop.abort();
      await Promise.all(running);
    },
  };
}

interface Exits<Hook extends QueuedHook> {
  readonly vendor: Vendor<Hook>;
  readonly settle: (hooks: readonly Hook[], outcome: Attempt) => void;
  readonly enter: (hook: Hook) => void;
  readonly sendAll: (bodies: readonly (readonly Hook[])[]) => void;
}

/** Apply the faults that lose, delay, shuffle or mix a hook before its first attempt. */
function createRouter<Hook extends QueuedHook>(
  { timers, faults }: Pick<Core, 'timers' | 'faults'>,
  { vendor, settle, enter, sendAll }: Exits<Hook>,
): (hook: Hook) => void {
  const shuffled: Hook[] = [];
  const mixed = new Map<string, Hook[]>();

  function releaseShuffled(): void {
    const burst = shuffled.splice(0).map((hook) => ({ hook, place: faults.random() }));
    const [one, other] = burst;
    // Two hooks always change places.
    if (burst.length === 2 && one && other) other.place = one.place - 1;
    sendAll(burst.toSorted((a, b) => a.place - b.place).map(({ hook }) => [hook]));
  }

  return (hook) => {
    const occasion: FaultOccasion = { account: hook.account };
    if (faults.take('hooks.drop', occasion) !== undefined)
      return settle([hook], { attempt: 0, status: null, error: 'lost on the way', tookMs: 0, settled: 'dropped' });
    const delay = faults.take('hooks.delay', occasion);
    if (delay !== undefined) return timers.after(delay.ms ?? 500, () => enter(hook));
    const shuffle = faults.take('hooks.shuffle', occasion);
    if (shuffle !== undefined) {
      shuffled.push(hook);
      if (shuffled.length === 1) timers.after(shuffle.ms ?? 500, releaseShuffled);
      if (shuffled.length >= (shuffle.size ?? 5)) releaseShuffled();
      return;
    }
    const mix = vendor.isMixable(hook) ? faults.take('hooks.mix', occasion) : undefined;
    if (mix === undefined) return enter(hook);
    const together = mixed.get(hook.account) ?? [];
    mixed.set(hook.account, [...together, hook]);
    if (together.length > 0) return;
    timers.after(mix.ms ?? 200, () => {
      sendAll([mixed.get(hook.account) ?? []]);
      mixed.delete(hook.account);
    });
  };
}

/** Run the work of one key in the order of the calls. */
function createKeyedQueue(): (key: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work);
    last.set(key, mine);
    await mine;
    if (last.get(key) === mine) last.delete(key);
  };
}
