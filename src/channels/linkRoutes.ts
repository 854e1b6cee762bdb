/** Links between products and channels. */
import { recordDeed } from '../platform/audit.ts';
import { brokenConstraint, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { Invalid } from '../platform/http/errors.ts';
import { readList } from '../platform/http/listQuery.ts';
import { mustMatch, wholeAfter } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Expected } from '../platform/rowVersion.ts';
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
import { mustMayLink } from './owner.ts';
import {
  changeLink,
  deleteLink,
  findLink,
  inboundProduct,
  insertLink,
  type LinkRow,
  lockLink,
  type StoredLink,
} from './store.ts';

export function linkRoutes(ground: Ground): Route[] {
  const listing = {
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
    within: 't.product_id in (select id from products where company_id = any($))',
    // A channel alone is no link: pages behind the first are found by this.
    id: '(t.product_id, t.channel_id)',
  };
  async function change({ query, body, caller, requestId, ifMatch }: Call<typeof replaceProductChannel>) {
    const { product_id } = body;
    const old = query.channel_id ?? body.channel_id;
    if (old === undefined) throw new Invalid([{ loc: ['body', 'channel_id'], msg: 'Field required', type: 'missing' }]);
    const made = await linking(() =>
      ground.transact(async (tx) => {
        const before = await mustLockLink(tx, product_id, old, ifMatch);
        const whole = wholeAfter(productChannelWrite, before, body);
        if (whole === null) return before;
        if (whole.channel_id !== old) await mustMayLink(tx, whole.channel_id, product_id, caller);
        await refuseSecondInbound(tx, whole);
        // In place, where the old row would go only for the new one to come: nobody finds the product without it,
        // and of two edits at once neither meets a row that is gone.
        await changeLink(tx, old, flat(whole));
        const after = await mustFindLink(tx, product_id, whole.channel_id);
        const deed = { caller, noun: 'product_channel', rowId: whole.channel_id, productId: product_id, requestId };
        await recordDeed(tx, { ...deed, action: 'changed', before, after });
        return after;
      }),
    );
    return ok(200, made);
  }

  return [
    route(listProductChannels, async ({ query, caller }) => {
      const found = await readList<ProductChannel>(ground.pool, listing, query, caller.companies);
      return ok(200, { ...found, page: query.page, limit: query.limit });
    }),
    route(createProductChannel, async ({ body, caller, requestId }) => {
      const { product_id, channel_id } = body;
      const made = await linking(() =>
        ground.transact(async (tx) => {
          const company_id = await mustMayLink(tx, channel_id, product_id, caller);
          await refuseSecondInbound(tx, body);
          await insertLink(tx, { ...flat(body), company_id });
          const after = await mustFindLink(tx, product_id, channel_id);
          const deed = { caller, noun: 'product_channel', rowId: channel_id, productId: product_id, requestId };
          await recordDeed(tx, { ...deed, action: 'created', after });
          return after;
        }),
      );
      return ok(201, made);
    }),
    route(replaceProductChannel, change),
    route(changeProductChannel, change),
    route(removeProductChannel, async ({ query, caller, requestId, ifMatch }) => {
      await ground.transact(async (tx) => {
        const before = await mustLockLink(tx, query.product_id, query.channel_id, ifMatch);
        await deleteLink(tx, query.product_id, query.channel_id);
        await recordDeed(tx, {
          caller,
          action: 'deleted',
          noun: 'product_channel',
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

/** At most one product takes what strangers write on a channel. */
async function refuseSecondInbound(tx: Tx, { product_id, channel_id, config }: Link): Promise<void> {
  if (!config.inbound_enabled) return;
  const taken = await inboundProduct(tx, channel_id);
  if (taken && taken.id !== product_id) throw refuse(channelRefusals, 'link.inbound_taken', { product: taken.name });
}

/** Two at once: the indexes decide. */
async function linking<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken?.name === 'product_channels_pkey') throw refuse(channelRefusals, 'link.exists');
    if (broken?.name === 'product_channels_inbound')
      throw refuse(channelRefusals, 'link.inbound_taken', { product: 'another product' });
    throw error;
  }
}

/** What is written of a link. */
type Link = Omit<ProductChannel, 'version'>;

const flat = ({ product_id, channel_id, config }: Link): LinkRow => ({ product_id, channel_id, ...config });
const nested = ({ product_id, channel_id, version, ...config }: StoredLink): ProductChannel => ({
  product_id,
  channel_id,
  config,
  version,
});

async function mustFindLink(tx: Tx, productId: number, channelId: number): Promise<ProductChannel> {
  const link = await findLink(tx, productId, channelId);
  if (!link) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
  return nested(link);
}

/** The link, locked until the transaction ends, of a version that the caller knows. */
async function mustLockLink(
  tx: Tx,
  productId: number,
  channelId: number,
  ifMatch: Expected | null,
): Promise<ProductChannel> {
  const row = await lockLink(tx, productId, channelId);
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
  const link = nested(row);
  await mustMatch(tx, { noun: 'product_channel', rowId: channelId, item: link }, ifMatch);
  return link;
}
