/** Finds claims that this instance made without knowing it: the database became unavailable during their commit. */
import type { AppContext } from '../platform/appContext.ts';
import { findClaimedMessages, releaseClaims } from './store/claims.ts';

/** Keys under which this process tracks its claims. */
export const messageClaimKey = (id: number): string => `message ${id}`;
/** Return the claim key of a product's first-message queue. */
export const queueClaimKey = (productId: number): string => `queue ${productId}`;

/**
 * Release messages claimed by this instance that it is not working on, so that they are reclaimed as after a crash.
 */
export async function releaseLostClaims(context: AppContext): Promise<void> {
  const claims = (await findClaimedMessages(context.reader, context.instanceId)).map(({ id, product_id, origin }) => ({
    id,
    // A first message is claimed by the process that works on its product's queue.
    keys: [messageClaimKey(id), ...(origin === 'first' ? [queueClaimKey(product_id)] : [])],
  }));
  const lostIds = context.claims.findLost('messages', claims);
  if (lostIds.length === 0) return;
  context.log.warn({ messages: lostIds }, 'this instance has claimed messages and does not work on them');
  await releaseClaims(context.reader, lostIds, context.instanceId);
}
