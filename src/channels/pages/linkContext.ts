/** What the page of a product's channels tells the assistant, and what may be done on it. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { type PageContext, Undoable } from '../../kit/pageContext.ts';
import { misfit, pageTool, pageTools } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { storedUndo } from '../../kit/undo.ts';
import {
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  productChannel,
  removeProductChannel,
  replaceProductChannel,
} from '../contract.ts';
import type { Link, linkBody } from './link.ts';

interface Doing {
  save: (old: Link | null, body: ReturnType<typeof linkBody>) => Promise<void>;
  remove: (link: Link) => Promise<void>;
  /** After links have changed. */
  refresh: () => Promise<unknown>;
}

type Config = ProductChannel['config'];

const { channel_id } = createProductChannel.body.shape;
const config = productChannel.shape.config.shape;
const CREATE = z.strictObject({ channel_id, ...config });
const CHANGE = z.strictObject({
  channel_id,
  inbound_enabled: config.inbound_enabled.unwrap().optional(),
  delay_messages_symbols_per_second: config.delay_messages_symbols_per_second.unwrap().optional(),
  delay_messages_seconds: config.delay_messages_seconds.unwrap().optional(),
});
const ONE = z.strictObject({ channel_id });

export function linkContext(
  productId: number,
  links: readonly Link[] | undefined,
  { save, remove, refresh }: Doing,
): PageContext {
  const linkTo = (id: number): Link => {
    const link = links?.find((one) => one.channel_id === id);
    if (!link) throw new Error(t('The product has no link to this channel.'));
    return link;
  };
  const bodyOf = (id: number, wanted: Config) => {
    const read = createProductChannel.body.safeParse({ product_id: productId, channel_id: id, config: wanted });
    if (!read.success) throw misfit(read.error);
    return read.data;
  };
  const undo = (id: number, before: Config | null, left: Config | null) =>
    storedUndo({
      left,
      read: () => stored(productId, id),
      putBack: async () => {
        await put(productId, id, before);
        await refresh();
      },
    });
  return {
    description: t('The channels that the chosen product writes from, with the delay of its messages on each.'),
    summary: JSON.stringify(
      links?.map(({ channel_id: id, name, channel, config: how }) => ({
        channel_id: id,
        name,
        messenger: channel?.channel_type,
        ...how,
      })) ?? { state: 'not loaded' },
    ),
    ...pageTools(
      pageTool({
        name: 'create_product_channel',
        description: t('Links a channel to the product.'),
        input: CREATE,
        confirm: true,
        run: async ({ channel_id: id, ...wanted }) => {
          const body = bodyOf(id, wanted);
          await save(null, body);
          return new Undoable({ status: 'created' }, undo(id, null, body.config));
        },
      }),
      pageTool({
        name: 'change_product_channel',
        description: t('Changes how the product uses a channel that it is linked to; what is left out stays.'),
        input: CHANGE,
        confirm: true,
        run: async ({ channel_id: id, ...changed }) => {
          const link = linkTo(id);
          const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
          const body = bodyOf(id, { ...link.config, ...given });
          await save(link, body);
          return new Undoable({ status: 'changed' }, undo(id, link.config, body.config));
        },
      }),
      pageTool({
        name: 'delete_product_channel',
        description: t('Takes the link of the product to a channel away.'),
        input: ONE,
        confirm: true,
        run: async ({ channel_id: id }) => {
          const link = linkTo(id);
          await remove(link);
          return new Undoable({ status: 'deleted' }, undo(id, link.config, null));
        },
      }),
    ),
  };
}

/** How the product is linked to the channel now; null: it is not. */
async function stored(productId: number, channelId: number): Promise<Config | null> {
  const { items } = await call(listProductChannels, { query: { product_id: [productId], channel_id: [channelId] } });
  return items[0]?.config ?? null;
}

/** Links the product to the channel like this, whatever it was; null: not at all. */
async function put(productId: number, channelId: number, wanted: Config | null): Promise<void> {
  const one = { product_id: productId, channel_id: channelId };
  const is = await stored(productId, channelId);
  if (wanted === null) await call(removeProductChannel, { query: one });
  else if (is === null) await call(createProductChannel, { body: { ...one, config: wanted } });
  else await call(replaceProductChannel, { query: { channel_id: channelId }, body: { ...one, config: wanted } });
}
