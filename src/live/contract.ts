/** The live stream of a product. */
import { z } from 'zod';
import { dialogue, message } from '../conversations/contract.ts';
import { endpoint, nameShape, reference } from '../platform/contract.ts';

/** What the live stream of a product says. A `resync` means: something may have been missed, read again. */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), message }),
  z.object({ type: z.literal('message.removed'), id: z.int(), dialogue_id: z.int() }),
  z.object({ type: z.literal('dialogue'), dialogue }),
  z.object({ type: z.literal('lead'), id: z.int() }),
  z.object({ type: z.literal('channel'), id: z.int() }),
  z.object({ type: z.literal('resync') }),
]);
export type LiveEvent = z.output<typeof liveEvent>;
nameShape('LiveEvent', liveEvent);

export const streamLiveEvents = endpoint({
  operation: 'streamLiveEvents',
  method: 'GET',
  path: '/v1/live',
  access: 'session',
  load: 'stream',
  summary: 'Server-sent events of one product: data lines hold live events',
  query: z.strictObject({ product_id: reference('product') }),
  media: 'text/event-stream',
  replies: { 200: liveEvent },
});
