/** Claims that were made in this life, and of which it does not know: the database went away in their commit. */
import type { AppContext } from '../platform/appContext.ts';
import { findClaimedMessages, releaseClaims } from './store/claims.ts';

/** By what names this process knows what it has in hand. */
export const dialogueClaimKey = (id: number): string => `dialogue ${id}`;
export const messageClaimKey = (id: number): string => `message ${id}`;
/** Of the line of a product's first messages. */
export const queueClaimKey = (productId: number): string => `line ${productId}`;

/** Messages that say they are in this life's hand and are not: somebody inherits them, as from a life that is over. */
export async function releaseLostClaims(context: AppContext): Promise<void> {
  const claims = (await findClaimedMessages(context.reader, context.instanceId)).map(
    ({ id, dialogue_id, product_id, origin }) => ({
      id,
      // A first message is claimed by whoever has its product's line in hand.
      keys: [
        messageClaimKey(id),
        dialogueClaimKey(dialogue_id),
        ...(origin === 'first' ? [queueClaimKey(product_id)] : []),
      ],
    }),
  );
  const lostIds = context.claims.findLost('messages', claims);
  if (lostIds.length === 0) return;
  context.log.warn({ messages: lostIds }, 'claimed in this life, and nobody is at it');
  await releaseClaims(context.reader, lostIds, context.instanceId);
}
