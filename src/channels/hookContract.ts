/** The address to which a channel's vendor sends: registered with the vendor, and its secret renewed. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';

export const registerHook = endpoint({
  operation: 'createChannelWebhook',
  method: 'POST',
  path: '/v1/channels/{id}/webhook/create',
  access: 'admin',
  summary: "Register our address for the vendor's hooks of this channel's account",
  load: 'outside',
  slowReason: "Waits for the messenger's vendor.",
  params: z.strictObject({ id: reference('channel') }),
  query: z.strictObject({ replace: z.boolean().default(false) }),
  replies: {
    201: z.object({ message: z.string() }),
    208: z.object({ message: z.string() }),
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});

const renewal = z.object({
  /** Whether the vendor has the new address. If not (202), register the webhook again. */
  is_registered: z.boolean(),
  /** `Success`, or why the vendor does not have it. */
  message: z.string(),
  /** Until when the former secret is accepted; null: until the vendor has the new address. */
  former_accepted_until: instant.nullable(),
});
nameShape('ChannelWebhookRenewal', renewal);

export const renewHook = endpoint({
  operation: 'renewChannelWebhook',
  method: 'POST',
  path: '/v1/channels/{id}/webhook/renew',
  access: 'session',
  summary: "Give this channel's account another secret in its webhook's address, and register it with the vendor",
  load: 'outside',
  slowReason: "Waits for the messenger's vendor.",
  reauthentication: true,
  params: z.strictObject({ id: reference('channel') }),
  query: z.strictObject({ replace: z.boolean().default(false) }),
  body: z.strictObject({
    /** The new secret, 256 random bits in URL-safe Base64. Default: one that nobody gets to see. */
    secret: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43,86}$/, 'A secret is 43 to 86 letters, digits, - and _')
      .nullable()
      .default(null),
  }),
  replies: {
    201: renewal,
    202: renewal,
    403: errorReply,
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});
