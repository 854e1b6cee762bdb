/**
 * Delivers hooks to the address that an account registered: queued in the journal first, posted in order within a chat,
 * retried out of order, and affected by the `hooks.*` faults.
 */
import { randomUUID } from 'node:crypto';
import type { Timers } from '../clock.ts';
import type { EntryDraft } from '../entries.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { PendingHook, State } from '../state.ts';

interface HookBody {
  messages?: unknown[];
  statuses?: unknown[];
  channelsUpdates?: unknown[];
}

export interface Hooks {
  /**
   * Return the entries that queue this body for the account, to be appended together with the change they report. Empty
   * if the account has no address or does not subscribe.
   */
  enqueue(account: string, lane: string, body: HookBody): EntryDraft[];
  /** The same for a post to an address of its own, retried `retries` times. */
  enqueuePost(account: string, lane: string, to: { url: string; retries?: number }, body: object): EntryDraft[];
  /** Start delivering what `enqueue` returned, once that is in the journal. */
  deliver(drafts: EntryDraft[]): void;
  /** Start delivering what a killed process had queued. */
  resume(): void;
  /** Resolves when the hook got its first answer, or after `ms`. */
  firstAnswer(hookId: string, ms: number): Promise<void>;
  /** Number of hooks that are queued and not settled. */
  pending(): number;
  close(): Promise<void>;
}

/** Simultaneous posts. A vendor's own number is not documented; this one sends a burst of hundreds quickly. */
const concurrency = 32;

/** Result of an attempt; the status is null without an answer, with the reason in `error`. */
type Answer = { status: number | null; error?: string };

export function hookDelivery(parts: { state: State; journal: Journal; timers: Timers; faults: Faults }): Hooks {
  const { state, journal, timers, faults } = parts;
  const chatQueues = new Map<string, Promise<void>>();
  const listeners = new Map<string, () => void>();
  const delayed = { shuffle: new Array<PendingHook>(), mix: new Map<string, PendingHook[]>() };
  const stop = new AbortController();
  const slots = semaphore(concurrency);
  const running = new Set<Promise<void>>();

  function enqueue(account: string, lane: string, body: HookBody): EntryDraft[] {
    const accountView = state.accounts.get(account);
    if (accountView === undefined || accountView.webhooksUri === null) return [];
    const subscribed: Record<string, unknown[]> = {};
    if (accountView.subscriptions.messagesAndStatuses) {
      if (body.messages !== undefined) subscribed.messages = body.messages;
      if (body.statuses !== undefined) subscribed.statuses = body.statuses;
    }
    if (accountView.subscriptions.channelsUpdates && body.channelsUpdates !== undefined) {
      subscribed.channelsUpdates = body.channelsUpdates;
    }
    if (Object.keys(subscribed).length === 0) return [];
    return queue({ account, lane, body: subscribed });
  }

  function enqueuePost(
    account: string,
    lane: string,
    to: { url: string; retries?: number },
    body: object,
  ): EntryDraft[] {
    return queue({ account, lane, body: Object.fromEntries(Object.entries(body)), ...to });
  }

  function queue(hook: Omit<Queued, 'hookId' | 'copyOf'>): EntryDraft[] {
    const hookId = randomUUID();
    const drafts: EntryDraft[] = [{ kind: 'hook_queued', hookId, ...hook }];
    const duplicate = faults.take('hooks.duplicate', { account: hook.account });
    return duplicate === undefined ? drafts : drafts.concat(copiesOf(hookId, hook, duplicate.copies ?? 1));
  }

  function deliver(drafts: EntryDraft[]): void {
    for (const draft of drafts) {
      const hook = draft.kind === 'hook_queued' ? state.pendingHooks.get(draft.hookId) : undefined;
      if (hook !== undefined) route(hook);
    }
  }

  function route(hook: PendingHook): void {
    const occasion = { account: hook.account };
    if (faults.take('hooks.drop', occasion) !== undefined)
      return settle([hook], 0, null, 'dropped', 'lost on the way', 0);
    const delay = faults.take('hooks.delay', occasion);
    if (delay !== undefined) return timers.after(delay.ms ?? 500, () => enter(hook));
    const shuffle = faults.take('hooks.shuffle', occasion);
    if (shuffle !== undefined) {
      delayed.shuffle.push(hook);
      if (delayed.shuffle.length === 1) timers.after(shuffle.ms ?? 500, releaseShuffled);
      if (delayed.shuffle.length >= (shuffle.size ?? 5)) releaseShuffled();
      return;
    }
    const mix = hook.url === undefined ? faults.take('hooks.mix', occasion) : undefined;
    if (mix !== undefined) {
      const together = delayed.mix.get(hook.account) ?? [];
      together.push(hook);
      delayed.mix.set(hook.account, together);
      if (together.length === 1) timers.after(mix.ms ?? 200, () => releaseMixed(hook.account));
      return;
    }
    enter(hook);
  }

  function releaseShuffled(): void {
    const burst = delayed.shuffle.splice(0);
    for (let index = burst.length - 1; index > 0; index -= 1) {
      const other = Math.floor(faults.random() * (index + 1));
      const a = burst[index];
      const b = burst[other];
      if (a === undefined || b === undefined) continue;
      burst[index] = b;
      burst[other] = a;
    }
    const disordered = burst.length === 2 ? burst.toReversed() : burst;
    track(
      (async () => {
        for (const hook of disordered) await attempt([hook]);
      })(),
    );
  }

  function releaseMixed(account: string): void {
    const together = delayed.mix.get(account) ?? [];
    delayed.mix.delete(account);
    if (together.length > 0) track(attempt(together));
  }

  /**
   * Add a hook to its chat's queue. Hooks of one chat are sent in order; the queue waits only for the first answer, and
   * retries run beside it.
   */
  function enter(hook: PendingHook): void {
    const before = chatQueues.get(hook.lane) ?? Promise.resolve();
    const mine = before.then(() => attempt([hook]));
    chatQueues.set(hook.lane, mine);
    track(
      mine.then(() => {
        if (chatQueues.get(hook.lane) === mine) chatQueues.delete(hook.lane);
      }),
    );
  }

  async function attempt(hooks: PendingHook[]): Promise<void> {
    const [first] = hooks;
    if (first === undefined || stop.signal.aborted) return;
    const address = first.url ?? state.accounts.get(first.account)?.webhooksUri ?? null;
    const attemptNumber = first.attempts + 1;
    if (address === null) return settle(hooks, attemptNumber, null, 'given_up', 'no address', 0);
    const began = performance.now();
    const broken = faults.take('hooks.fail', { account: first.account }) !== undefined;
    const answer: Answer = broken
      ? { status: null, error: 'did not get through' }
      : await slots(() => post(address, first.url === undefined ? inOneBody(hooks) : first.body));
    if (stop.signal.aborted) return;
    const durationMs = Math.round(performance.now() - began);
    if (answer.status === 200) return settle(hooks, attemptNumber, 200, 'delivered', undefined, durationMs);
    const last =
      attemptNumber > (first.retries ?? state.settings.hooks.retries) ||
      faults.take('hooks.no_retry', { account: first.account }) !== undefined;
    settle(hooks, attemptNumber, answer.status, last ? 'given_up' : undefined, answer.error, durationMs);
    if (!last) timers.after(state.settings.hooks.pauseMs, () => track(attempt(hooks)));
  }

  async function post(address: string, body: unknown): Promise<Answer> {
    try {
      const response = await fetch(address, {
        method: 'POST',
        // The vendor's own spelling, which is no valid parameter (fact sheet, section 6).
        headers: { 'content-type': 'application/json; charset-utf-8' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(state.settings.hooks.timeoutMs)]),
      });
      await response.arrayBuffer();
      return { status: response.status };
    } catch (error) {
      return { status: null, error: describe(error) };
    }
  }

  function settle(
    hooks: PendingHook[],
    attemptNumber: number,
    status: number | null,
    settled: 'delivered' | 'given_up' | 'dropped' | undefined,
    error: string | undefined,
    tookMs: number,
  ): void {
    const hookIds = hooks.map((hook) => hook.hookId);
    journal.append({ kind: 'hook_answered', hookIds, attempt: attemptNumber, status, error, tookMs, settled });
    for (const hookId of hookIds) {
      listeners.get(hookId)?.();
      listeners.delete(hookId);
    }
  }

  function track(work: Promise<void>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  return {
    enqueue,
    enqueuePost,
    deliver,
    resume: () => {
      for (const hook of state.pendingHooks.values()) enter(hook);
    },
    firstAnswer: (hookId, ms) =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, ms);
        listeners.set(hookId, () => {
          clearTimeout(limit);
          resolve();
        });
      }),
    pending: () => state.pendingHooks.size,
    close: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}

type Queued = Omit<Extract<EntryDraft, { kind: 'hook_queued' }>, 'kind'>;

function copiesOf(hookId: string, hook: Omit<Queued, 'hookId' | 'copyOf'>, copies: number): EntryDraft[] {
  return Array.from({ length: copies }, () => {
    const own = randomUUID();
    // A queue of its own, so that the copies race with the original.
    return { kind: 'hook_queued', ...hook, hookId: own, lane: own, copyOf: hookId };
  });
}

function inOneBody(hooks: PendingHook[]): Record<string, unknown[]> {
  const body: Record<string, unknown[]> = {};
  for (const hook of hooks) {
    for (const [name, items] of Object.entries(hook.body))
      body[name] = (body[name] ?? []).concat(Array.isArray(items) ? items : []);
  }
  return body;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

function semaphore(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
