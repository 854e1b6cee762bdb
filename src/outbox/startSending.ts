/** Starts to send claimed messages: one check of all claims, then the vendors' calls beside the caller. */

import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { accountQueue } from './reserveSends.ts';
import { type ClaimedMessage, sendTraced } from './send.ts';
import { loadClaimedMessages, MESSAGES } from './store/claims.ts';
import { type ClaimState, findClaimStates } from './store/delivery.ts';

const PREFIX = accountQueue(0).slice(0, -1);

/**
 * Name of the queue in which an account's reclaimed messages are sent: not behind first tries, since the vendor forgets
 * their keys.
 */
export const reclaimQueue = (accountId: number): string => `reclaim ${accountId}`;

/** Return how many messages of each account are being sent. */
export function countSending(tools: SweepTools): Map<number, number> {
  return new Map(
    [...tools.queues()].flatMap(([name, count]) =>
      name.startsWith(PREFIX) ? [[Number(name.slice(PREFIX.length)), count]] : [],
    ),
  );
}

/**
 * Check the claims of all messages once more, and send each in the queue of its account. Returns when each has ended; a
 * process that stops starts none, and another instance reclaims them.
 */
export async function startSending(
  context: AppContext,
  policy: SendPolicy,
  { claimed, tools }: { claimed: readonly ClaimedMessage[]; tools: SweepTools },
): Promise<Promise<void>[]> {
  if (claimed.length === 0) return [];
  const ids = claimed.map(({ message: { id } }) => id);
  const check = async () => {
    const found = await findClaimStates(context.reader, ids);
    const states = new Map(found.map((state) => [state.id, state]));
    return claimed.map((one) => ({ ...one, state: states.get(one.message.id) }));
  };
  return startChecked(context, policy, { ids, tools, check });
}

/** Do the same for messages that were stored claimed by this instance. */
export const startClaimed = (
  context: AppContext,
  policy: SendPolicy,
  started: { ids: readonly number[]; tools: SweepTools },
): Promise<Promise<void>[]> =>
  startChecked(context, policy, {
    ...started,
    check: () => loadClaimedMessages(context.reader, started.ids, context.instanceId),
  });

type CheckedMessage = ClaimedMessage & { readonly state: ClaimState | undefined };

/** Start to send messages; `check` reads the state of their claims. */
function startChecked(
  context: AppContext,
  policy: SendPolicy,
  { ids, tools, check }: { ids: readonly number[]; tools: SweepTools; check: () => Promise<CheckedMessage[]> },
): Promise<Promise<void>[]> {
  failpoint('send.afterClaim');
  const keys = ids.map((id) => ({ id }));
  return context.claims.hold(MESSAGES, keys, async () => {
    const readAt = performance.now();
    const checked = await retryWhileDatabaseUnavailable(context, check);
    return checked.map(({ state, ...one }) => {
      const { id } = one.message;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      // Held from now on, also while it waits for room in the queue.
      const hold = context.claims.begin(MESSAGES, [{ id }]);
      const end = () => {
        hold.end();
        resolve();
      };
      const claim = { state, readAt };
      const { account_id: account } = one.dialogueContext;
      const isStarted = tools.start((one.reclaimed ? reclaimQueue : accountQueue)(account), `message ${id}`, () =>
        sendTraced(context, policy, { ...one, claim }).finally(end),
      );
      if (!isStarted) end();
      return ended;
    });
  });
}
