/** Contract of live streams: of a product, and of the inbox. */
import { z } from 'zod';
import { attentionStates } from '../conversations/attentionContract.ts';
import { dialogue, message } from '../conversations/contract.ts';
import { endpoint, nameShape, reference } from '../platform/contract.ts';

/** Something that happened to a product, in words. */
export const notice = z.object({
  title: z.string(),
  text: z.string(),
  /** Address within the console: `/?page=experiment-detail&experimentId=7`. */
  url: z.string(),
});
export type Notice = z.output<typeof notice>;
nameShape('Notice', notice);

/** That a dialogue needs people, one for each wait; or a notice. What belongs to the other kind is null. */
export const attentionAlert = z.object({
  id: z.int(),
  product_id: z.int(),
  /** Whom it is for; null: everybody who may see the product. */
  assignee_id: z.int().nullable(),
  dialogue_id: z.int().nullable(),
  lead_name: z.string().nullable(),
  attention: z.enum(attentionStates).nullable(),
  /** The last message of the dialogue. */
  last_message: z.string().nullable(),
  notice: notice.nullable(),
});
export type AttentionAlert = z.output<typeof attentionAlert>;
nameShape('AttentionAlert', attentionAlert);

/**
 * An event of a live stream. A product's has `message`, `dialogue`, `lead` and `channel`. The one of the inbox has
 * `inbox`: a dialogue whose place, assignee or last message there has changed, and `alert`: an alert that has started, or
 * is for somebody else now; `alert.ended`: nobody waits any more, or a notice is over. `resync` means that events may be missing
 * and the console must refetch.
 */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), message }),
  z.object({ type: z.literal('message.removed'), id: z.int(), dialogue_id: z.int() }),
  z.object({ type: z.literal('dialogue'), dialogue }),
  z.object({ type: z.literal('lead'), id: z.int() }),
  z.object({ type: z.literal('channel'), id: z.int() }),
  z.object({ type: z.literal('inbox'), dialogue }),
  z.object({ type: z.literal('inbox.removed'), id: z.int() }),
  z.object({ type: z.literal('alert'), alert: attentionAlert }),
  z.object({ type: z.literal('alert.ended'), id: z.int() }),
  z.object({ type: z.literal('note'), dialogue_id: z.int() }),
  z.object({
    type: z.literal('presence'),
    dialogue_id: z.int(),
    operator: z.string(),
    state: z.enum(['viewing', 'typing', 'left']),
  }),
  z.object({ type: z.literal('product'), id: z.int() }),
  z.object({ type: z.literal('experiment'), id: z.int() }),
  z.object({ type: z.literal('studio_run'), id: z.int() }),
  z.object({ type: z.literal('prompt'), id: z.int() }),
  /** A pair of answers was labelled, so the judge's calibration has changed. */
  z.object({ type: z.literal('studio_pair'), id: z.int() }),
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
  summary: 'Server-sent events: data lines hold live events of a product; without one, of the inbox of all products',
  query: z.strictObject({ product_id: reference('product').optional() }),
  media: 'text/event-stream',
  replies: { 200: liveEvent },
});
