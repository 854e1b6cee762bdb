/** Ownership of a channel and its vendor account, and the companies they are shared with. */
import { z } from 'zod';
import { endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';

const ownership = z.object({
  /** The company that owns the channel; null: an admin has to choose one. */
  company_id: z.int().nullable(),
  /** Further companies whose products may be linked to the channel. */
  shared_company_ids: z.array(z.int()),
  /** The company that owns the vendor account, with its key and its webhook. */
  account_company_id: z.int().nullable(),
  /** Further companies that may have channels of the account. */
  account_shared_company_ids: z.array(z.int()),
  /** `…` and the last four characters of the account's key. */
  account_key: z.string(),
  account_channels: z.int(),
});
export type Ownership = z.output<typeof ownership>;
nameShape('ChannelOwnership', ownership);

const companyIds = z.array(reference('company')).max(100);

export const readOwnership = endpoint({
  operation: 'getChannelOwnership',
  method: 'GET',
  path: '/v1/channels/{id}/ownership',
  access: 'admin',
  summary: 'Who owns a channel and its account, and with whom they are shared',
  params: z.strictObject({ id: reference('channel') }),
  replies: { 200: ownership, 404: errorReply },
});

export const changeOwnership = endpoint({
  operation: 'updateChannelOwnership',
  method: 'PUT',
  path: '/v1/channels/{id}/ownership',
  access: 'admin',
  summary: 'Change who owns and shares a channel and its account; omitted fields keep their values',
  params: z.strictObject({ id: reference('channel') }),
  body: z.strictObject({
    company_id: reference('company').optional(),
    shared_company_ids: companyIds.optional(),
    account_company_id: reference('company').optional(),
    account_shared_company_ids: companyIds.optional(),
  }),
  replies: { 200: ownership, 404: errorReply, 409: errorReply },
});
