/** Links between products and channels. */
import { sql } from 'kysely';
import { recordDeed } from '../platform/audit.ts';
import { brokenConstraint, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import {
  channelRefusals,
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  removeProductChannel,
  replaceProductChannel,
} from './contract.ts';
import { changeLink, deleteLink, inboundProduct, insertLink, type LinkRow, lockLink } from './store.ts';

export function linkRoutes(ground: Ground): Route[] {
  const listing = {
    from: 'product_channels t',
    select: {
      product_id: 't.product_id',
      channel_id: 't.channel_id',
      config: `jsonb_build_object('inbound_enabled', t.inbound_enabled,
        'delay_messages_symbols_per_second', t.delay_messages_symbols_per_second,
        'delay_messages_seconds', t.delay_messages_seconds)`,
    },
    filters: ['product_id', 'channel_id', 'inbound_enabled'],
    conditions: { inbound_enabled: 't.inbound_enabled = $' },
    search: [],
    within: 't.product_id in (select id from products where company_id = any($))',
    // A channel alone is no link: pages behind the first are found by this.
    id: '(t.product_id, t.channel_id)',
  };
  return [
    route(listProductChannels, async ({ query, caller }) => {
      const found = await readList<ProductChannel>(ground.pool, listing, query, caller.companies);
      return ok(200, { ...found, page: query.page, limit: query.limit });
    }),
    route(createProductChannel, async ({ body, caller, requestId }) => {
      const { product_id, channel_id } = body;
      await linking(() =>
        ground.transact(async (tx) => {
          if (!caller.admin) await refuseForeignLink(tx, channel_id, caller);
          await refuseSecondInbound(tx, body);
          await insertLink(tx, flat(body));
          const deed = { caller, noun: 'product_channel', rowId: channel_id, productId: product_id, requestId };
          await recordDeed(tx, { ...deed, action: 'created', after: body });
        }),
      );
      return ok(201, body);
    }),
    route(replaceProductChannel, async ({ query, body, caller, requestId }) => {
      const { product_id, channel_id } = body;
      const old = query.channel_id ?? channel_id;
      await linking(() =>
        ground.transact(async (tx) => {
          const before = await lockLink(tx, product_id, old);
          if (!before) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
          if (old !== channel_id && !caller.admin) await refuseForeignLink(tx, channel_id, caller);
          await refuseSecondInbound(tx, body);
          // In place, where the old row would go only for the new one to come: nobody finds the product without it,
          // and of two edits at once neither meets a row that is gone.
          await changeLink(tx, old, flat(body));
          const deed = { caller, noun: 'product_channel', rowId: channel_id, productId: product_id, requestId };
          await recordDeed(tx, { ...deed, action: 'changed', before: nested(before), after: body });
        }),
      );
      return ok(200, body);
    }),
    route(removeProductChannel, async ({ query, caller, requestId }) => {
      await ground.transact(async (tx) => {
        const gone = await deleteLink(tx, query.product_id, query.channel_id);
        if (!gone) throw refuse(commonRefusals, 'not_found', { noun: 'link' });
        await recordDeed(tx, {
          caller,
          action: 'deleted',
          noun: 'product_channel',
          rowId: query.channel_id,
          productId: query.product_id,
          before: query,
          requestId,
        });
      });
      return ok(204, null);
    }),
  ];
}

/** A member links only channels that no other company uses. */
async function refuseForeignLink(tx: Tx, channelId: number, caller: Caller): Promise<void> {
  const { rows } = await sql<{ foreign: boolean }>`
    select exists (select 1 from product_channels l join products p on p.id = l.product_id
                    where l.channel_id = ${channelId} and p.company_id <> all(${[...(caller.companies ?? [])]}::bigint[])) as foreign`.execute(
    tx,
  );
  if (rows[0]?.foreign) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
}

/** At most one product takes what strangers write on a channel. */
async function refuseSecondInbound(tx: Tx, { product_id, channel_id, config }: ProductChannel): Promise<void> {
  if (!config.inbound_enabled) return;
  const taken = await inboundProduct(tx, channel_id);
  if (taken && taken.id !== product_id) throw refuse(channelRefusals, 'link.inbound_taken', { product: taken.name });
}

/** Two at once: the indexes decide. */
async function linking(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken?.name === 'product_channels_pkey') throw refuse(channelRefusals, 'link.exists');
    if (broken?.name === 'product_channels_inbound')
      throw refuse(channelRefusals, 'link.inbound_taken', { product: 'another product' });
    throw error;
  }
}

const flat = ({ product_id, channel_id, config }: ProductChannel): LinkRow => ({ product_id, channel_id, ...config });
const nested = ({ product_id, channel_id, ...config }: LinkRow): ProductChannel => ({ product_id, channel_id, config });
