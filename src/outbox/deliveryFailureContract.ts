/** Delivery failures of all companies, for admins. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { authors } from '../conversations/contract.ts';
import { endpoint, errorReply, instant, instantInput, nameShape, uncheckedId } from '../platform/contract.ts';
import { crud, readOnlyCrud } from '../platform/crud.ts';

/** `refused`: a temporary rejection by the vendor; it is retried automatically. */
export const failureStates = ['error', 'unconfirmed', 'refused'] as const;
export type FailureState = (typeof failureStates)[number];

const deliveryFailure = z.object({
  id: z.int(),
  state: z.enum(failureStates),
  /** The first characters of the text. */
  message: z.string(),
  author: z.enum(authors),
  operator: z.string().nullable(),
  reason: z.string().nullable(),
  error_code: z.string().nullable(),
  reason_key: z.string(),
  retry_count: z.int(),
  thread_at: instant,
  dialogue_id: z.int(),
  lead_name: z.string(),
  channel_id: z.int(),
  channel_name: z.string(),
  vendor: z.enum(channelVendors),
  product_id: z.int(),
  product_name: z.string(),
  company_id: z.int(),
  company_name: z.string(),
});
export type DeliveryFailure = z.output<typeof deliveryFailure>;
nameShape('MessageTrouble', deliveryFailure);

/** Why a message is not retried in bulk; an operator may still retry it individually. */
export const retryBlocks = ['opted_out', 'inactive', 'human', 'stage', 'product_off', 'talked', 'refused'] as const;
export type RetryBlock = (typeof retryBlocks)[number];

const declaredFailures = crud(
  {
    resource: 'message',
    plural: 'messages',
    path: '/v1/message-troubles/',
    item: deliveryFailure,
    create: z.strictObject({}),
    update: z.strictObject({}),
    filters: {
      /** A key for one reason, whose text may be long. */
      reason_key: z.string().regex(/^[a-z0-9]{1,32}$/),
      /** Why a bulk retry skips the message. */
      retry_block: z.enum(retryBlocks),
    },
    orderBy: ['id', 'thread_at'],
    search: ['message', 'reason'],
  },
  { read: 'admin', write: 'admin' },
);

export const deliveryFailures = readOnlyCrud(declaredFailures);

export const listFailureReasons = endpoint({
  operation: 'listFailureReasons',
  method: 'GET',
  path: '/v1/message-troubles/reasons',
  access: 'admin',
  summary: 'Why messages did not get through, the most frequent reasons first',
  query: declaredFailures.filterQuery,
  replies: {
    200: z.object({
      items: z.array(
        z.object({
          state: z.enum(failureStates),
          reason: z.string().nullable(),
          error_code: z.string().nullable(),
          reason_key: z.string(),
          count: z.int(),
          latest: instant,
        }),
      ),
    }),
  },
});
export type FailureReason = z.output<(typeof listFailureReasons.replies)[200]>['items'][number];

/** All messages that match the filters, or the chosen ones among them. */
const selection = {
  narrowing: declaredFailures.filterQuery,
  ids: z.array(uncheckedId).max(10_000).nullable().default(null),
};

export const countRetries = endpoint({
  operation: 'countMessageRetries',
  method: 'POST',
  path: '/v1/message-troubles/count',
  access: 'admin',
  summary: 'What sending all of these again would do; nothing is sent',
  body: z.strictObject(selection),
  replies: {
    200: z.object({
      /** Passed to `retry`: messages sent after this time are not sent again. */
      counted_at: instant,
      matching: z.int(),
      /** Unconfirmed, and the vendor still recognises the first try: it arrives once. */
      same_key: z.int(),
      /** Rejected for certain: it has not arrived. */
      new_key: z.int(),
      /** Unconfirmed, and the key has expired: it may have arrived, and a retry may deliver it twice. */
      doubtful: z.int(),
      cannot: z.array(z.object({ why: z.enum(retryBlocks), count: z.int() })),
    }),
  },
});
export type RetryCount = z.output<(typeof countRetries.replies)[200]>;

/** How many messages one call processes. */
export const RETRY_BATCH = 100;

export const retryMessages = endpoint({
  operation: 'retryMessages',
  method: 'POST',
  path: '/v1/message-troubles/retry',
  access: 'admin',
  summary: `Send these again, ${RETRY_BATCH} in each call; call with \`after\` until there is no \`next\``,
  slowReason: 'Sends a batch of messages again, each in its own transaction.',
  body: z.strictObject({
    ...selection,
    counted_at: instantInput,
    /** Whether to include messages that may then arrive twice. */
    doubtful: z.boolean(),
    /** The `next` of the previous call. */
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  }),
  replies: {
    200: z.object({
      same_key: z.int(),
      new_key: z.int(),
      doubtful: z.int(),
      /** How many were checked and left unchanged. */
      left: z.int(),
      next: z.int().nullable(),
    }),
    409: errorReply,
  },
});
export type RetryBatch = z.output<(typeof retryMessages.replies)[200]>;
