/** Channels: the numbers and accounts we write from, and their links to products. */
import { z } from 'zod';
import { createShape, partialShape, readOnly } from '../platform/change.ts';
import {
  endpoint,
  errorReply,
  externalId,
  freeMap,
  hasNewKey,
  instant,
  listReply,
  name,
  nameShape,
  reference,
  secretKey,
} from '../platform/contract.ts';
import { crud, listQuery } from '../platform/crud.ts';
import { filtersOf } from '../platform/filters.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

export const channelTypes = ['telegram', 'whatsapp'] as const;
export type ChannelType = (typeof channelTypes)[number];
export const channelVendors = ['wazzup24', 'chatpush'] as const;
export type ChannelVendor = (typeof channelVendors)[number];

/** Maximum items in one hook. Vendors send one message, or a few that came together. */
export const MAX_HOOK_ITEMS = 500;

const vendorRef = z.string().trim().min(1).max(1000);
const credentials = z.strictObject({ api_key: secretKey, channel_id: vendorRef });

const channelItem = z.object({
  id: z.int(),
  name: z.string(),
  number: z.string().nullable(),
  /** Masked: `…` and the last four characters; null for members. */
  credentials: z.object({ api_key: z.string(), channel_id: z.string() }).nullable(),
  config: z.record(z.string(), z.unknown()),
  channel_type: z.enum(channelTypes),
  vendor: z.enum(channelVendors),
  /** The company that owns it; null: an admin has to choose one. Members do not see an owner they have no access to. */
  company_id: z.int().nullable(),
  company_name: z.string().nullable(),
  /** Further companies that may use it; members see only their own among them. */
  shared_company_ids: z.array(z.int()),
  is_active: z.boolean(),
  is_session_active: z.boolean(),
  /** The vendor's own word for the session, as last received. */
  state: z.string().nullable(),
  /** Why the channel stopped first messages automatically; null: it has not. */
  firsts_stopped_reason: z.string().nullable(),
  firsts_stopped_at: instant.nullable(),
  created_at: instant,
  version: rowVersion,
});
export type Channel = z.output<typeof channelItem>;

/** First messages of a new number: `start` on its first day, `step` more on each later day. */
export const ramp = z.object({ start: z.int().min(1).max(100_000), step: z.int().min(0).max(100_000) });
export type Ramp = z.output<typeof ramp>;

/** Any keys are allowed; only those that Rapport reads are validated. */
const channelConfig = freeMap(z.unknown()).superRefine((config, context) => {
  const read = ramp.nullish().safeParse(config['ramp']);
  for (const { message, path } of read.error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path: ['ramp', ...path] });
});

/** Read the ramp of a new number from the channel's config; null if there is none. */
export function readRamp(config: Readonly<Record<string, unknown>>): Ramp | null {
  return ramp.safeParse(config['ramp']).data ?? null;
}

/** Return the first messages that a number may send on day `day` of its ramp; the first day is 0. */
export const rampLimitOn = ({ start, step }: Ramp, day: number): number => start + step * day;

const channelWrite = z.strictObject({
  name,
  number: externalId(z.string().trim().max(100)).nullable().default(null),
  credentials,
  config: channelConfig.default({}),
  channel_type: z.enum(channelTypes),
  vendor: z.enum(channelVendors),
  is_active: z.boolean().default(true),
});

export const channels = crud(
  {
    resource: 'channel',
    plural: 'channels',
    path: '/v1/channels/',
    item: channelItem,
    create: channelWrite.extend({
      /** Default: the owner of the account with this key, else the only company. */
      company_id: reference('company').nullable().default(null),
    }),
    update: channelWrite.extend({
      /** Cannot change here: see the channel's ownership. */
      company_id: reference('company').nullable(),
    }),
    filters: {},
    orderBy: ['id', 'name', 'number', 'vendor', 'channel_type', 'is_active', 'created_at'],
    search: ['name', 'number'],
  },
  { read: 'session', write: 'admin', reauthentication: hasNewKey },
);

const session = z.object({
  is_session_active: z.boolean(),
  /** The vendor's own word. */
  state: z.string().nullable(),
  /** The QR code to pair with, as a data URL, while the vendor shows one. */
  qr: z.string().nullable(),
});
nameShape('ChannelSession', session);

export const checkSession = endpoint({
  operation: 'checkChannelSession',
  method: 'GET',
  path: '/v1/channels/{id}/check-session',
  access: 'session',
  summary: "Ask the vendor for the state of a channel's session",
  load: 'outside',
  slowReason: "Waits for the messenger's vendor.",
  params: z.strictObject({ id: reference('channel') }),
  replies: { 200: session, 404: errorReply, 409: errorReply, 503: errorReply },
});

export const pairingLink = endpoint({
  operation: 'getChannelPairingLink',
  method: 'GET',
  path: '/v1/channels/{id}/pairing-link',
  access: 'admin',
  summary: 'An address at which the session of a channel is paired; 409 for vendors without one, which are both',
  load: 'outside',
  slowReason: "Waits for the messenger's vendor.",
  params: z.strictObject({ id: reference('channel') }),
  replies: { 200: z.object({ link: z.url() }), 404: errorReply, 409: errorReply, 503: errorReply },
});

const pairable = z.object({
  ref: z.string(),
  title: z.string(),
  address: z.string().nullable(),
  state: z.string(),
});
export type Pairable = z.output<typeof pairable>;
nameShape('PairableChannel', pairable);

export const pairing = endpoint({
  operation: 'listPairableChannels',
  method: 'POST',
  path: '/v1/channels/pairing',
  access: 'admin',
  summary: "A vendor account's channels of one messenger, to choose from",
  load: 'outside',
  slowReason: "Waits for the messenger's vendor.",
  body: z.strictObject({
    vendor: z.enum(channelVendors),
    channel_type: z.enum(channelTypes),
    credentials: z.strictObject({ api_key: secretKey, channel_id: vendorRef.optional() }),
  }),
  replies: { 200: z.array(pairable), 409: errorReply, 503: errorReply },
});

export const resumeFirstMessages = endpoint({
  operation: 'resumeFirstMessages',
  method: 'POST',
  path: '/v1/channels/{id}/resume-firsts',
  access: 'session',
  summary: 'Resume first messages of a channel that stopped them automatically',
  params: z.strictObject({ id: reference('channel') }),
  replies: { 200: channelItem, 404: errorReply, 409: errorReply },
});

const linkConfig = z.strictObject({
  inbound_enabled: z.boolean().default(false),
  delay_messages_symbols_per_second: z.int().positive().max(10_000).nullable().default(null),
  delay_messages_seconds: z.int().min(0).max(86_400).nullable().default(null),
});

export const productChannel = z.object({
  product_id: z.int(),
  channel_id: z.int(),
  config: linkConfig,
  version: rowVersion,
});
export type ProductChannel = z.output<typeof productChannel>;
nameShape('ProductChannel', productChannel);

export const productChannelWrite = z.strictObject({
  product_id: reference('product'),
  channel_id: reference('channel'),
  config: linkConfig.prefault({}),
});

export const listProductChannels = endpoint({
  operation: 'listProductChannels',
  method: 'GET',
  path: '/v1/product-channels/',
  access: 'session',
  summary: 'Links between products and channels',
  query: listQuery(
    { ...filtersOf(productChannel, 'product_channel'), inbound_enabled: z.boolean() },
    ['product_id', 'channel_id'],
    'asc',
  ),
  replies: { 200: listReply(productChannel) },
});

export const createProductChannel = endpoint({
  operation: 'createProductChannel',
  method: 'POST',
  path: '/v1/product-channels/',
  access: 'session',
  summary: 'Link a channel to a product',
  body: createShape(productChannelWrite, productChannel),
  versioned: true,
  replies: { 201: productChannel, 404: errorReply, 409: errorReply },
});

/** The product identifies the link and is required; the channel is given here or in the query. */
const linkChange = {
  path: '/v1/product-channels/',
  access: 'session',
  query: z.strictObject({
    /** The channel of the existing link, if the update changes the channel. */
    channel_id: reference('channel').optional(),
  }),
  body: z.strictObject({
    product_id: reference('product'),
    channel_id: reference('channel').optional(),
    config: partialShape(linkConfig).optional(),
    version: readOnly,
  }),
  versioned: true,
  replies: { 200: productChannel, 404: errorReply, 409: errorReply },
} as const;

export const replaceProductChannel = endpoint({
  ...linkChange,
  operation: 'replaceProductChannel',
  method: 'PUT',
  summary: 'Replace a link; omitted fields keep their values',
});

export const changeProductChannel = endpoint({
  ...linkChange,
  operation: 'updateProductChannel',
  method: 'PATCH',
  summary: 'Change a link; omitted fields keep their values',
});

export const removeProductChannel = endpoint({
  operation: 'deleteProductChannel',
  method: 'DELETE',
  path: '/v1/product-channels/',
  access: 'session',
  summary: 'Unlink a channel from a product',
  query: z.strictObject({ product_id: reference('product'), channel_id: reference('channel') }),
  versioned: true,
  replies: { 204: z.null(), 404: errorReply, 409: errorReply },
});

export const channelRefusals = {
  'channel.taken': { status: 409, sentence: 'This vendor channel is already connected as {name}.' },
  'channel.linked': { status: 409, sentence: 'This channel is still linked to {count} product(s). Unlink it first.' },
  'channel.has_dialogues': {
    status: 409,
    sentence: 'This channel has dialogues. Switch it off instead of deleting it.',
  },
  'channel.company_fixed': {
    status: 409,
    sentence: 'A channel cannot move to another company here. Change its owner on the system page.',
  },
  'channel.firsts_go': { status: 409, sentence: 'This channel already sends first messages.' },
  'channel.credentials_again': {
    status: 409,
    sentence: 'The key belongs to the old vendor or account. Please enter the credentials again.',
  },
  'channel.hook_elsewhere': {
    status: 409,
    sentence: 'The vendor sends to another address ({address}). Repeat with replace=true to take it over.',
  },
  'channel.secret_used': { status: 409, sentence: 'This secret was used before. Please choose another one.' },
  'channel.no_pairing_link': {
    status: 409,
    sentence:
      '{vendor} has no pairing link. Pair the channel in the dashboard of {vendor}; Rapport notices automatically.',
  },
  'channel.key_again': { status: 409, sentence: 'Please enter the whole key.' },
  'channel.vendor_refused': { status: 409, sentence: 'The vendor refused: {reason}' },
  'channel.vendor_silent': { status: 503, sentence: 'The vendor does not answer: {reason}' },
  'channel.not_shared': {
    status: 409,
    sentence: "This channel is not shared with the product's company. An admin can share it on the channels page.",
  },
  'channel.no_owner': {
    status: 409,
    sentence: 'This channel has no owner yet. Choose its company on the system page first.',
  },
  'channel.still_shared': {
    status: 409,
    sentence:
      'This channel is still linked to {count} product(s) of a company that would lose it. Unlink it there first.',
  },
  'account.not_owned': {
    status: 403,
    sentence: "Only an admin or a member of the account's company may renew its secret.",
  },
  'account.not_shared': {
    status: 409,
    sentence: "This key's account belongs to another company. Share the account with the channel's company first.",
  },
  'account.channel_outside': {
    status: 409,
    sentence: 'The channel {name} of this account belongs to a company that would lose the account.',
  },
  'link.exists': { status: 409, sentence: 'This channel is already linked to the product.' },
  'link.inbound_taken': { status: 409, sentence: 'Inbound messages of this channel already go to {product}.' },
} satisfies RefusalKinds;
