/** Links between products and channels. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Tx, violatedConstraint } from '../platform/db.ts';
import { ValidationError } from '../platform/http/errors.ts';
import { type Listing, readList } from '../platform/http/listQuery.ts';
import { changeRow, requireVersion } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import {
  changeProductChannel,
  channelRefusals,
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  productChannelWrite,
  removeProductChannel,
  replaceProductChannel,
} from './contract.ts';
import { requireLinkable } from './ownership.ts';
import {
  changeLink,
  deleteLink,
  findLink,
  insertLink,
  type LinkRow,
  lockLink,
  type StoredLink,
  selectInboundProduct,
} from './store.ts';

const NOUN = 'product_channel';

const LISTING: Listing = {
  from: 'product_channels t',
  select: {
    product_id: 't.product_id',
    channel_id: 't.channel_id',
    config: `jsonb_build_object('inbound_enabled', t.inbound_enabled,
      'delay_messages_symbols_per_second', t.delay_messages_symbols_per_second,
      'delay_messages_seconds', t.delay_messages_seconds)`,
    version: 't.revision',
  },
  conditions: { inbound_enabled: 't.inbound_enabled = $' },
  search: [],
  ...PRODUCT_SCOPE,
  // A channel id alone does not identify a link: the cursor of later pages needs both ids.
  id: '(t.product_id, t.channel_id)',
};

export function linkRoutes(context: AppContext): Route[] {
  async function change({ query, body, caller, requestId, ifMatch }: Call<typeof replaceProductChannel>) {
    const { product_id } = body;
    const oldChannelId = query.channel_id ?? body.channel_id;
    if (oldChannelId === undefined)
      throw new ValidationError([{ loc: ['body', 'channel_id'], msg: 'Field required', type: 'missing' }]);
    const saved = await refuseLinkConflicts(() =>
      context.transact(async (tx) => {
        const before = await lockLinkOrRefuse(tx, product_id, oldChannelId);
        const row = { noun: NOUN, rowId: oldChannelId, before, shape: productChannelWrite, body, ifMatch };
        return changeRow(tx, row, async (newLink) => {
          if (newLink.channel_id !== oldChannelId)
            await requireLinkable(tx, { channelId: newLink.channel_id, productId: product_id, caller });
          await refuseSecondInbound(tx, newLink);
          // Updates in place instead of deleting and inserting: no reader finds the product without the link, and of
          // two concurrent edits neither meets a deleted row.
          await changeLink(tx, oldChannelId, toRow(newLink));
          const after = await findLinkOrRefuse(tx, product_id, newLink.channel_id);
          const entry = { caller, noun: NOUN, rowId: newLink.channel_id, productId: product_id, requestId };
          await recordAuditEntry(tx, { ...entry, action: 'changed', before, after });
          return after;
        });
      }),
    );
    return ok(200, saved);
  }

  return [
    route(listProductChannels, async ({ query, caller }) => {
      const result = await readList<ProductChannel>(context.pool, {
        listing: LISTING,
        query,
        companies: caller.companies,
      });
      return ok(200, { ...result, page: query.page, limit: query.limit });
    }),
    route(createProductChannel, async ({ body, caller, requestId }) => {
      const { product_id, channel_id } = body;
      const saved = await refuseLinkConflicts(() =>
        context.transact(async (tx) => {
          const company_id = await requireLinkable(tx, { channelId: channel_id, productId: product_id, caller });
          await refuseSecondInbound(tx, body);
          await insertLink(tx, { ...toRow(body), company_id });
          const after = await findLinkOrRefuse(tx, product_id, channel_id);
          const entry = { caller, noun: NOUN, rowId: channel_id, productId: product_id, requestId };
          await recordAuditEntry(tx, { ...entry, action: 'created', after });
          return after;
        }),
      );
      return ok(201, saved);
    }),
    route(replaceProductChannel, change),
    route(changeProductChannel, change),
    route(removeProductChannel, async ({ query, caller, requestId, ifMatch }) => {
      await context.transact(async (tx) => {
        const before = await lockLinkOrRefuse(tx, query.product_id, query.channel_id);
        await requireVersion(tx, { noun: NOUN, rowId: query.channel_id, item: before }, ifMatch);
        await deleteLink(tx, query.product_id, query.channel_id);
        await recordAuditEntry(tx, {
          caller,
          action: 'deleted',
          noun: NOUN,
          rowId: query.channel_id,
          productId: query.product_id,
          before,
          requestId,
        });
      });
      return ok(204, null);
    }),
  ];
}

/** Refuse a second product for inbound messages: at most one product receives what strangers write on a channel. */
async function refuseSecondInbound(tx: Tx, { product_id, channel_id, config }: Link): Promise<void> {
  if (!config.inbound_enabled) return;
  const inboundOwner = await selectInboundProduct(tx, channel_id);
  if (inboundOwner && inboundOwner.id !== product_id)
    throw refuse(channelRefusals, 'link.inbound_taken', { product: inboundOwner.name });
}

/** Turn violations of the unique indexes into refusals. The indexes decide between concurrent writes. */
async function refuseLinkConflicts<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint?.name === 'product_channels_pkey') throw refuse(channelRefusals, 'link.exists');
    if (constraint?.name === 'product_channels_inbound')
      throw refuse(channelRefusals, 'link.inbound_taken', { product: 'another product' });
    throw error;
  }
}

/** The stored part of a link. */
type Link = Omit<ProductChannel, 'version'>;

const toRow = ({ product_id, channel_id, config }: Link): LinkRow => ({ product_id, channel_id, ...config });
const toProductChannel = ({ product_id, channel_id, version, ...config }: StoredLink): ProductChannel => ({
  product_id,
  channel_id,
  config,
  version,
});

async function findLinkOrRefuse(tx: Tx, productId: number, channelId: number): Promise<ProductChannel> {
  const link = await findLink(tx, productId, channelId);
  if (!link) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
  return toProductChannel(link);
}

/** Lock the link until the transaction ends. */
async function lockLinkOrRefuse(tx: Tx, productId: number, channelId: number): Promise<ProductChannel> {
  const row = await lockLink(tx, productId, channelId);
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
  return toProductChannel(row);
}
