/** Bulk actions on leads: count the effects first, then apply the action to exactly the counted leads. */
import { z } from 'zod';
import { endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { tagList } from '../products/tagContract.ts';
import { leads, stages } from './contract.ts';

/** Maximum leads in one selection. */
export const MAX_SELECTED = 10_000;
/** Maximum leads in one call: one transaction, short enough not to block others. */
export const BULK_SIZE = 200;

const bulkAction = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('change_stage'),
    new_stage: z.enum(stages),
    update_in_crm: z.boolean().default(true),
  }),
  z.strictObject({ kind: z.literal('deactivate') }),
  z.strictObject({ kind: z.literal('delete') }),
  z.strictObject({
    kind: z.literal('change_tags'),
    add: tagList.default([]),
    remove: tagList.default([]),
  }),
  z.strictObject({ kind: z.literal('set_owner'), owner_id: reference('owner').nullable() }),
]);
export type BulkAction = z.output<typeof bulkAction>;

const leadIdList = (max: number) => z.array(reference('lead')).min(1).max(max);

export const leadIds = endpoint({
  operation: 'listLeadIds',
  method: 'GET',
  path: '/v1/leads/ids',
  access: 'session',
  summary: 'The ids of all leads that a list finds',
  query: leads.filterQuery,
  replies: { 200: z.object({ ids: z.array(z.int()) }), 404: errorReply, 409: errorReply },
});

export const bulkCount = z.object({
  leads: z.int(),
  /** The number of leads that the action changes. */
  affected: z.int(),
  contacts: z.int(),
  dialogues: z.int(),
  messages: z.int(),
  /** The bot's messages that are scheduled but not sent. */
  waiting: z.int(),
});
export type BulkCount = z.output<typeof bulkCount>;
nameShape('BulkCount', bulkCount);

export const countBulk = endpoint({
  operation: 'countBulkLeadAction',
  method: 'POST',
  path: '/v1/leads/bulk/count',
  access: 'session',
  summary: 'What an action on many leads would do; changes nothing',
  slowReason: 'Counts what changes for thousands of leads.',
  body: z.strictObject({ ids: leadIdList(MAX_SELECTED), action: bulkAction }),
  replies: { 200: bulkCount, 404: errorReply },
});

export const runBulk = endpoint({
  operation: 'runBulkLeadAction',
  method: 'POST',
  path: '/v1/leads/bulk',
  access: 'session',
  summary: 'Do the same with many leads, all or none',
  slowReason: 'Changes thousands of leads.',
  body: z.strictObject({ ids: leadIdList(BULK_SIZE), action: bulkAction }),
  replies: { 200: z.object({ affected: z.int() }), 404: errorReply, 409: errorReply },
});

export const bulkRefusals = {
  'leads.too_many': { status: 409, sentence: '{count} leads are too many at once: at most {most}. Narrow the list.' },
} satisfies RefusalKinds;
