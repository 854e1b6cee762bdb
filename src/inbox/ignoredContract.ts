/** What others have written on a channel that became no message of a lead. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';

/** Reasons for which a lead can be made: the chat may be one person's after all, or no product took it. */
export const adoptableReasons = ['bot', 'unknown_chat', 'no_product'] as const;

const ignoredItem = z.object({
  id: z.int(),
  channel_id: z.int(),
  /** Why it is no message of a lead: `group`, `story`, `service`, …. */
  reason: z.string(),
  /** The messenger's id of the chat. */
  chat_id: z.string().nullable(),
  sender_name: z.string().nullable(),
  /** Phone or username of the sender. */
  address: z.string().nullable(),
  kind: z.string(),
  /** The first characters of the text. Nothing is kept of what a messenger's own account writes: it may be a login code. */
  text: z.string(),
  can_become_lead: z.boolean(),
  received_at: instant,
});
export type IgnoredItem = z.output<typeof ignoredItem>;
nameShape('IgnoredItem', ignoredItem);

export const listIgnoredItems = endpoint({
  operation: 'listIgnoredItems',
  method: 'GET',
  path: '/v1/channels/{id}/ignored-items',
  access: 'session',
  summary: "What was ignored on a channel of one's own company, since it is not of one person's chat; the newest first",
  params: z.strictObject({ id: reference('channel') }),
  query: z.strictObject({
    reason: z.string().max(40).optional(),
    /** Items before this one. */
    before: z.int().positive().optional(),
    limit: z.int().positive().max(200).default(50),
  }),
  replies: { 200: z.array(ignoredItem), 404: errorReply },
});

export const adoptIgnoredItem = endpoint({
  operation: 'createLeadFromIgnoredItem',
  method: 'POST',
  path: '/v1/ignored-items/{id}/lead',
  access: 'session',
  summary:
    'Take an ignored message for that of a person: the sender becomes a lead of the product that strangers write to',
  params: z.strictObject({ id: reference('ignored_item') }),
  replies: { 202: z.object({ accepted: z.int() }), 404: errorReply, 409: errorReply },
});
