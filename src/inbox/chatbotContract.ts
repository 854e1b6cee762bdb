/** The webhook endpoints, called by vendors and the team's own programs. */
import { z } from 'zod';
import { channelVendors, MAX_HOOK_ITEMS } from '../channels/contract.ts';
import { endpoint, errorReply, externalId, instantInput, uncheckedId } from '../platform/contract.ts';

export const webhookStatuses = ['sent', 'delivered', 'read', 'error', 'inbound'] as const;

const messengerId = externalId(z.string().trim().min(1).max(200));

/**
 * Whether an item is only the delivery status of a known message. With a text it is the message itself; who writes
 * without a text has sent what this format has no word for, and that is a message too.
 */
export const isStatusAlone = ({
  message,
  status,
}: {
  readonly message: string | null;
  readonly status: (typeof webhookStatuses)[number] | null;
}): boolean => (message ?? '').trim() === '' && status !== null && status !== 'inbound';

/** One message or status, as `readWebhookItems` reads it: in stricter forms than it accepts. */
export const webhookItem = z
  .object({
    /** Needed but for a status. */
    chat_id: messengerId.nullable().default(null),
    /** A delivery status has none. For media without text, the kind: `[image]`. */
    message: z.string().max(100_000).nullable().default(null),
    /** Your id of the message: what is sent twice under it is stored once. */
    message_id: messengerId,
    /** Whether we or one of our people wrote it. */
    is_echo: z.boolean().default(false),
    /** Null: `inbound`, or `sent` for an echo. */
    status: z.enum(webhookStatuses).nullable().default(null),
    /** Null: when it is received. */
    sent_at: instantInput.nullable().default(null),
  })
  .refine(({ chat_id, ...item }) => chat_id !== null || isStatusAlone(item), {
    message: 'This field is required',
    path: ['chat_id'],
  });
export type WebhookItem = z.output<typeof webhookItem>;

const { $schema: _schema, ...itemSchema } = z.toJSONSchema(webhookItem, { io: 'input' });

/** Our own format; its content is what drivers make of vendors' hooks. Items are judged one by one. */
export const webhookPayload = z.strictObject({
  channel_id: z.union([uncheckedId, z.string().min(1).max(200)]),
  messages: z.array(z.unknown().meta(itemSchema)).max(MAX_HOOK_ITEMS),
});
export type WebhookPayload = z.output<typeof webhookPayload>;

const refusedItem = z.object({
  /** Its place in `messages`, from 0. */
  index: z.int(),
  reason: z.string(),
});

const webhookReply = z.object({
  /** How many items are new. */
  accepted: z.int(),
  /** Items that could not be used; omitted if all could. */
  refused: z.array(refusedItem).optional(),
  /** Names of fields that were not used: unknown ones, and times that cannot be read. Omitted if there are none. */
  ignored_fields: z.array(z.string()).optional(),
});
export type WebhookReply = z.output<typeof webhookReply>;

export const receiveWebhook = endpoint({
  operation: 'receiveChatbotWebhook',
  method: 'POST',
  path: '/v1/chatbot/webhook',
  access: 'session-or-hook',
  load: 'hook',
  summary: "Messages and statuses of a channel, in Rapport's own format",
  body: webhookPayload,
  loose: 'json',
  replies: { 200: webhookReply, 401: errorReply, 404: errorReply },
});

export const receiveVendorHook = endpoint({
  operation: 'receiveVendorWebhook',
  method: 'POST',
  path: '/hooks/{vendor}/{secret}',
  access: 'hook',
  load: 'hook',
  summary: "A vendor's own hook; the secret is that of the account",
  params: z.object({ vendor: z.enum(channelVendors), secret: z.string().min(20).max(200) }),
  body: z.unknown(),
  loose: true,
  replies: { 200: z.object({ accepted: z.int() }), 404: errorReply },
});
