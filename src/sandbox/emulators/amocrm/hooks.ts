/**
 * Hooks of the emulated amoCRM: posted as forms without a signature, retried by the schedule of the fact sheet (section
 * 8) with shortened pauses. An address that fails too often is disabled.
 */
import { randomUUID } from 'node:crypto';
import type { Core } from '../core.ts';
import { createDelivery } from '../delivery.ts';
import type { EntryDraft } from '../entries.ts';
import type { Change } from './changes.ts';

export type AmoHooks = ReturnType<typeof amoHooks>;

export const amo = (change: Change): EntryDraft => ({ kind: 'amocrm', change });

export function amoHooks(core: Core) {
  const { state, journal, faults } = core;
  const { amocrm } = state;
  const { deliver, ...delivery } = createDelivery(core, {
    queued: amocrm.pendingHooks,
    addressOf: ({ destination }) => (amocrm.subscriptions.has(destination) ? destination : null),
    bodyOf: (hooks) => hooks[0]?.body ?? '',
    isMixable: () => false,
    contentType: 'application/x-www-form-urlencoded',
    timeoutMs: () => state.settings.amocrm.timeoutMs,
    isAccepted: (status) => status >= 100 && status < 300,
    // The last two attempts are made for 499 and 5xx only.
    pauseMs: (_hook, attempt, status) =>
      attempt >= 3 && status !== null && status < 499 ? null : (state.settings.amocrm.pausesMs[attempt - 1] ?? null),
    record: ([hook], { attempt, status, settled }) => {
      if (hook === undefined) return;
      const { hookId, destination } = hook;
      journal.append(amo({ what: 'answered', hookId, attempt, status, settled, real: Date.now() }));
      const subscription = amocrm.subscriptions.get(destination);
      if (subscription && subscription.bad.length >= state.settings.amocrm.offAfter && !subscription.disabled)
        journal.append(amo({ what: 'disabled', destination }));
    },
  });

  /** Return a hook to every address that subscribes to the event, with copies of those that are to come twice. */
  function hooksOf([event, body]: readonly [string, string]): Extract<Change, { what: 'owed' }>[] {
    const destinations = [...amocrm.subscriptions.values()].filter(
      (one) => !one.disabled && one.settings.includes(event),
    );
    return destinations.flatMap(({ destination }) => {
      const hook = { what: 'owed', hookId: randomUUID(), destination, body } as const;
      const duplicate = faults.take('hooks.duplicate', { account: 'amocrm' });
      const copies = Array.from({ length: duplicate ? (duplicate.copies ?? 1) : 0 }, () => {
        return { ...hook, hookId: randomUUID(), copyOf: hook.hookId };
      });
      return [hook, ...copies];
    });
  }

  return {
    ...delivery,
    /** Append the change together with its hooks (event and form body), and start delivering those. */
    append: (change: Change, hooks: readonly (readonly [event: string, body: string])[]): void => {
      const queued = hooks.flatMap(hooksOf);
      journal.append(amo(change), ...queued.map(amo));
      deliver(queued.map(({ hookId }) => hookId));
    },
  };
}
