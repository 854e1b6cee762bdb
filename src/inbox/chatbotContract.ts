/** The webhook endpoints, called by vendors and the team's own programs. */
import { z } from 'zod';
import { channelVendors, MAX_HOOK_ITEMS } from '../channels/contract.ts';
import { endpoint, errorReply, instantInput, text, uncheckedId } from '../platform/contract.ts';

export const webhookStatuses = ['sent', 'delivered', 'read', 'error', 'inbound'] as const;

/** An id from a messenger or vendor: a string, or a number with some vendors. */
const externalId = z.union([z.string().min(1).max(200), z.int().min(0).max(Number.MAX_SAFE_INTEGER).transform(String)]);

/**
 * An instant, or seconds since 1970. Milliseconds are rejected by their size: as seconds they would be beyond 2286.
 */
const instantOrSeconds = z.union([
  instantInput,
  z
    .number()
    .min(0)
    .max(9_999_999_999, 'Enter seconds since 1970, not milliseconds')
    .transform((seconds) => new Date(seconds * 1000).toISOString()),
]);

/** Our own format, so validation is strict; its content is what drivers make of vendors' hooks. */
export const webhookPayload = z.strictObject({
  channel_id: z.union([uncheckedId, z.string().min(1).max(200)]),
  messages: z
    .array(
      z
        .strictObject({
          chat_id: externalId,
          /** For media without text, the kind: `[image]`. */
          message: text.nullable().default(null),
          message_id: externalId,
          is_echo: z.boolean().default(false),
          status: z.enum(webhookStatuses),
          sent_at: instantOrSeconds.nullable().default(null),
        })
        .refine(({ message, status, is_echo }) => message !== null || status !== 'inbound' || is_echo, {
          message: 'Enter at least 1 character',
          path: ['message'],
        }),
    )
    .max(MAX_HOOK_ITEMS),
});
export type WebhookPayload = z.output<typeof webhookPayload>;

export const receiveWebhook = endpoint({
  operation: 'receiveChatbotWebhook',
  method: 'POST',
  path: '/v1/chatbot/webhook',
  access: 'session-or-hook',
  load: 'hook',
  summary: "Messages and statuses of a channel, in Rapport's own format",
  body: webhookPayload,
  replies: { 200: z.object({ accepted: z.int() }), 401: errorReply, 404: errorReply },
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
