/** Contract of outgoing webhooks: what other systems are sent when something happens. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import { crud, readOnlyCrud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

/** The events that a webhook can want. */
export const webhookEvents = ['report.weekly', 'experiment.ended'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The events that are delivered: `test` is sent by an operator, to one webhook. */
const deliveredEvents = [...webhookEvents, 'test'] as const;
export type DeliveredEvent = (typeof deliveredEvents)[number];

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The form of Standard Webhooks: `whsec_` and 24 to 64 random bytes in Base64. A leading `…` marks the mask that a read returned. */
const secret = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^(?:…[\x21-\x7e]*|whsec_(?=[A-Za-z0-9+/]{32,86}={0,2}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/,
    'A secret is whsec_ and 24 to 64 bytes in Base64',
  );

const secretBody = z.object({ secret: z.string() });

/** Whether a body contains a new secret, not the mask in its place. */
function hasNewSecret(body: unknown): boolean {
  const parsed = secretBody.safeParse(body);
  return parsed.success && !parsed.data.secret.startsWith('…');
}

const url = z.url({ protocol: /^https?$/ }).max(2000);
const events = z
  .array(z.enum(webhookEvents))
  .min(1)
  .max(webhookEvents.length)
  .refine((all) => new Set(all).size === all.length, 'Each event once');

const webhook = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The product whose events it wants; null: those of all products of the company. */
  product_id: z.int().nullable(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Masked: `…` and the last four characters. */
  secret: z.string(),
  is_active: z.boolean(),
  /** Its newest delivery; null: none in the last 30 days. */
  last_delivery: z
    .object({ state: z.enum(deliveryStates), created_at: instant, error: z.string().nullable() })
    .nullable(),
  created_at: instant,
  version: rowVersion,
});
export type Webhook = z.output<typeof webhook>;

export const webhooks = crud(
  {
    resource: 'webhook',
    plural: 'webhooks',
    path: '/v1/webhooks/',
    item: webhook,
    create: z.strictObject({
      company_id: reference('company'),
      product_id: reference('product').nullable().default(null),
      url,
      events,
      secret,
      is_active: z.boolean().default(true),
    }),
    /** Another address needs another secret: whoever receives there must not have signatures of the first. */
    update: z.strictObject({
      /** Neither can change. */
      company_id: reference('company'),
      product_id: reference('product').nullable(),
      url,
      events,
      secret,
      is_active: z.boolean(),
    }),
    filters: {},
    orderBy: ['id', 'created_at', 'is_active'],
    search: ['url'],
  },
  { read: 'session', write: 'session', reauthentication: hasNewSecret },
);

const delivery = z.object({
  id: z.int(),
  webhook_id: z.int(),
  product_id: z.int().nullable(),
  event: z.enum(deliveredEvents),
  /** Sent as `webhook-id`: the same in each attempt. */
  event_id: z.uuid(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  created_at: instant,
  last_attempt_at: instant.nullable(),
  /** When it is attempted again; null: at once, or never. */
  next_attempt_at: instant.nullable(),
  /** HTTP status of the last answer; null: there was none. */
  response_status: z.int().nullable(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
});
export type WebhookDelivery = z.output<typeof delivery>;

export const declaredDeliveries = crud({
  resource: 'webhook_delivery',
  plural: 'deliveries',
  path: '/v1/webhook-deliveries/',
  item: delivery,
  create: z.strictObject({}),
  update: z.strictObject({}),
  filters: { event_id: z.uuid() },
  orderBy: ['id', 'created_at', 'attempts'],
  search: [],
});

/** Deliveries are made by events, never through the API. */
export const webhookDeliveries = readOnlyCrud(declaredDeliveries);

const deliveryParams = z.strictObject({ id: reference('webhook_delivery') });

export const readDeliveryBody = endpoint({
  operation: 'getWebhookDeliveryBody',
  method: 'GET',
  path: '/v1/webhook-deliveries/{id}/body',
  access: 'session',
  summary: 'Read what a webhook was sent',
  params: deliveryParams,
  replies: {
    200: z.object({
      type: z.enum(deliveredEvents),
      timestamp: instant,
      /** Of an event `report.weekly`: a `WeeklyReport`. */
      data: z.record(z.string(), z.unknown()),
    }),
    404: errorReply,
  },
});

export const sendDeliveryAgain = endpoint({
  operation: 'sendWebhookDeliveryAgain',
  method: 'POST',
  path: '/v1/webhook-deliveries/{id}/send-again',
  access: 'session',
  summary: 'Send a delivery again, with all its attempts',
  params: deliveryParams,
  replies: { 200: delivery, 404: errorReply, 409: errorReply },
});

export const testWebhook = endpoint({
  operation: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  access: 'session',
  summary: 'Send a test event to a webhook',
  params: z.strictObject({ id: reference('webhook') }),
  replies: { 201: delivery, 404: errorReply, 409: errorReply },
});
nameShape('WebhookDelivery', delivery);

export const webhookRefusals = {
  'webhook.address': { status: 409, sentence: 'The address is refused. {reason}' },
  'webhook.secret_again': { status: 409, sentence: 'The secret belongs to the old address. Please enter another one.' },
  'webhook.secret_missing': { status: 409, sentence: 'Enter the secret itself, not its mask.' },
  'webhook.other_company': { status: 409, sentence: 'The product belongs to another company.' },
  'webhook.company_fixed': { status: 409, sentence: 'A webhook cannot move to another company or product.' },
  'webhook.too_many': { status: 409, sentence: 'A company has at most {max} webhooks.' },
  'webhook.off': { status: 409, sentence: 'The webhook is off. Switch it on first.' },
} satisfies RefusalKinds;
