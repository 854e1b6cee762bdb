/** Starts to send claimed messages: one check of all claims, then the vendors' calls beside the caller. */

import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { messageClaimKey } from './lostClaims.ts';
import { accountQueue } from './reserveSends.ts';
import { type ClaimedMessage, sendTraced } from './send.ts';
import { loadClaimedMessages } from './store/claims.ts';
import { findClaimStates } from './store/delivery.ts';

const PREFIX = accountQueue(0).slice(0, -1);

/** Return how many messages of each account are being sent. */
export function countSending(tools: SweepTools): Map<number, number> {
  return new Map(
    [...tools.queues()].flatMap(([name, count]) =>
      name.startsWith(PREFIX) ? [[Number(name.slice(PREFIX.length)), count]] : [],
    ),
  );
}

/** Load messages that were stored claimed by this instance. */
export const loadClaimed = (context: AppContext, ids: readonly number[]): Promise<ClaimedMessage[]> =>
  retryWhileDatabaseUnavailable(context, () => loadClaimedMessages(context.reader, ids, context.instanceId));

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
  failpoint('send.afterClaim');
  const readAt = performance.now();
  const ids = claimed.map(({ message }) => message.id);
  const found = await retryWhileDatabaseUnavailable(context, () => findClaimStates(context.reader, ids));
  const states = new Map(found.map((state) => [state.id, state]));
  return claimed.map((one) => {
    const key = messageClaimKey(one.message.id);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    // Tracked from now on, also while it waits for room in the queue.
    void context.claims.track(key, () => ended);
    const claim = { state: states.get(one.message.id), readAt };
    const isStarted = tools.start(accountQueue(one.dialogueContext.account_id), key, () =>
      sendTraced(context, policy, { ...one, claim }).finally(resolve),
    );
    if (!isStarted) resolve();
    return ended;
  });
}
