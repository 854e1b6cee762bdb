/** Contract of a product's live stream. */
import { z } from 'zod';
import { dialogue, message } from '../conversations/contract.ts';
import { endpoint, nameShape, reference } from '../platform/contract.ts';

/** An event of a product's live stream. `resync` means that events may be missing and the console must refetch. */
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
