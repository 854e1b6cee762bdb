/**
 * Hooks of the emulated amoCRM: queued in the journal first, posted as forms without a signature, retried by the
 * schedule of the fact sheet (section 8) with shortened pauses. An address that fails too often is disabled.
 */
import { randomUUID } from 'node:crypto';
import type { Timers } from '../clock.ts';
import type { EntryDraft } from '../entries.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { State } from '../state.ts';
import type { Change } from './changes.ts';
import type { PendingHook } from './state.ts';

export interface AmoHooks {
  /** Return the entries that queue this body for every subscription to `setting`. */
  enqueue(setting: string, body: string): EntryDraft[];
  /** Start delivering what `enqueue` returned, once that is in the journal. */
  deliver(drafts: readonly EntryDraft[]): void;
  /** Start delivering what a killed process had queued. */
  resume(): void;
  pending(): number;
  close(): Promise<void>;
}

/** Occasion of the `hooks.*` faults. */
const OCCASION = { account: 'amocrm' };

export const amo = (change: Change): EntryDraft => ({ kind: 'amocrm', change });

export function amoHooks(parts: { state: State; journal: Journal; timers: Timers; faults: Faults }): AmoHooks {
  const { state, journal, timers, faults } = parts;
  const { amocrm } = state;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const shuffled: PendingHook[] = [];

  function enqueue(setting: string, body: string): EntryDraft[] {
    const drafts: EntryDraft[] = [];
    for (const one of amocrm.subscriptions.values()) {
      if (one.disabled || !one.settings.includes(setting)) continue;
      const hookId = randomUUID();
      drafts.push(amo({ what: 'owed', hookId, destination: one.destination, body }));
      const doubled = faults.take('hooks.duplicate', OCCASION);
      for (let copy = 0; copy < (doubled ? (doubled.copies ?? 1) : 0); copy++) {
        drafts.push(amo({ what: 'owed', hookId: randomUUID(), destination: one.destination, body, copyOf: hookId }));
      }
    }
    return drafts;
  }

  function deliver(drafts: readonly EntryDraft[]): void {
    for (const draft of drafts) {
      if (draft.kind !== 'amocrm' || draft.change.what !== 'owed') continue;
      const hook = amocrm.pendingHooks.get(draft.change.hookId);
      if (hook) route(hook);
    }
  }

  function route(hook: PendingHook): void {
    if (faults.take('hooks.drop', OCCASION)) return settle(hook, 0, null, 'dropped');
    const delay = faults.take('hooks.delay', OCCASION);
    if (delay) return timers.after(delay.ms ?? 500, () => track(attempt(hook)));
    const shuffle = faults.take('hooks.shuffle', OCCASION);
    if (!shuffle) return track(attempt(hook));
    shuffled.push(hook);
    if (shuffled.length === 1) timers.after(shuffle.ms ?? 500, release);
    if (shuffled.length >= (shuffle.size ?? 5)) release();
  }

  function release(): void {
    const burst = shuffled.splice(0);
    const disordered = burst.map((hook) => ({ hook, at: faults.random() })).toSorted((one, other) => one.at - other.at);
    for (const { hook } of disordered) track(attempt(hook));
  }

  async function attempt(hook: PendingHook): Promise<void> {
    if (stop.signal.aborted) return;
    const number = hook.attempts + 1;
    const subscription = amocrm.subscriptions.get(hook.destination);
    if (!subscription) return settle(hook, number, null, 'given_up');
    const broken = faults.take('hooks.fail', OCCASION) !== undefined;
    const status = broken ? null : await post(hook);
    if (stop.signal.aborted) return;
    if (status !== null && status >= 100 && status < 300) return settle(hook, number, status, 'delivered');
    const pause = state.settings.amocrm.pausesMs[number - 1];
    // The last two attempts are made for 499 and 5xx only.
    const hopeless = number >= 3 && status !== null && status < 499;
    const last = pause === undefined || hopeless || faults.take('hooks.no_retry', OCCASION) !== undefined;
    settle(hook, number, status, last ? 'given_up' : undefined);
    if (subscription.bad.length >= state.settings.amocrm.offAfter && !subscription.disabled)
      journal.append(amo({ what: 'disabled', destination: hook.destination }));
    if (!last) timers.after(pause, () => track(attempt(hook)));
  }

  async function post(hook: PendingHook): Promise<number | null> {
    try {
      const response = await fetch(hook.destination, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: hook.body,
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(state.settings.amocrm.timeoutMs)]),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  function settle(
    { hookId }: PendingHook,
    number: number,
    status: number | null,
    settled: 'delivered' | 'given_up' | 'dropped' | undefined,
  ): void {
    journal.append(amo({ what: 'answered', hookId, attempt: number, status, settled, real: Date.now() }));
  }

  function track(work: Promise<void>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  return {
    enqueue,
    deliver,
    resume: () => {
      for (const hook of amocrm.pendingHooks.values()) track(attempt(hook));
    },
    pending: () => amocrm.pendingHooks.size,
    close: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}
