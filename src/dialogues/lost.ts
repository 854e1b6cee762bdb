/** Claims that were made in this life, and of which it does not know: the database went away in their commit. */
import type { Ground } from '../platform/ground.ts';
import { inHandOf, letGoOf } from './store/lost.ts';

/** By what names this process knows what it has in hand. */
export const dialogueName = (id: number): string => `dialogue ${id}`;
export const messageName = (id: number): string => `message ${id}`;
/** Of the line of a product's first messages. */
export const lineName = (productId: number): string => `line ${productId}`;

/** Messages that say they are in this life's hand and are not: somebody inherits them, as from a life that is over. */
export async function leaveLost(ground: Ground): Promise<void> {
  const rows = (await inHandOf(ground.reader, ground.life)).map(({ id, dialogue_id, product_id, origin }) => ({
    id,
    // A first message is claimed by whoever has its product's line in hand.
    names: [messageName(id), dialogueName(dialogue_id), ...(origin === 'first' ? [lineName(product_id)] : [])],
  }));
  const lost = ground.hand.leftBehind('messages', rows);
  if (lost.length === 0) return;
  ground.log.warn({ messages: lost }, 'claimed in this life, and nobody is at it');
  await letGoOf(ground.reader, lost, ground.life);
}
