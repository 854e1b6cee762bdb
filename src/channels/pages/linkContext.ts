/** The page context of a product's channels for the assistant, with the tools it offers. */
import { z } from 'zod';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { type PageContext, Undoable } from '../../ui/pageContext.ts';
import { argumentsError, pageTool, pageTools } from '../../ui/pageTool.ts';
import { storedUndo } from '../../ui/undo.ts';
import {
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  productChannel,
  removeProductChannel,
  replaceProductChannel,
} from '../contract.ts';
import type { Link, linkBody } from './link.ts';

export interface LinkActions {
  save: (old: Link | null, body: ReturnType<typeof linkBody>) => Promise<void>;
  remove: (link: Link) => Promise<void>;
  /** Call after links have changed. */
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
const CHANNEL_INPUT = z.strictObject({ channel_id });

export function linkContext(
  productId: number,
  links: readonly Link[] | undefined,
  { save, remove, refresh }: LinkActions,
): PageContext {
  const linkTo = (id: number): Link => {
    const link = links?.find((one) => one.channel_id === id);
    if (!link) throw new Error(t('The product has no link to this channel.'));
    return link;
  };
  const bodyOf = (id: number, newConfig: Config) => {
    const read = createProductChannel.body.safeParse({ product_id: productId, channel_id: id, config: newConfig });
    if (!read.success) throw argumentsError(read.error);
    return read.data;
  };
  const undo = (id: number, before: Config | null, savedConfig: Config | null) =>
    storedUndo({
      after: savedConfig,
      read: () => readLinkConfig(productId, id),
      restore: async () => {
        await restoreLink(productId, id, before);
        await refresh();
      },
    });
  return {
    description: t('The channels that the chosen product sends from, with its message delay on each.'),
    summary: JSON.stringify(
      links?.map(({ channel_id: id, name, channel, config: linkConfig }) => ({
        channel_id: id,
        name,
        messenger: channel?.channel_type,
        ...linkConfig,
      })) ?? { state: 'not loaded' },
    ),
    ...pageTools(
      pageTool({
        name: 'create_product_channel',
        description: t('Links a channel to the product.'),
        input: CREATE,
        confirm: true,
        run: async ({ channel_id: id, ...newConfig }) => {
          const body = bodyOf(id, newConfig);
          await save(null, body);
          return new Undoable({ status: 'created' }, undo(id, null, body.config));
        },
      }),
      pageTool({
        name: 'change_product_channel',
        description: t('Changes the link of a channel to the product; omitted fields keep their values.'),
        input: CHANGE,
        confirm: true,
        run: async ({ channel_id: id, ...changed }) => {
          const link = linkTo(id);
          const changes = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
          const body = bodyOf(id, { ...link.config, ...changes });
          await save(link, body);
          return new Undoable({ status: 'changed' }, undo(id, link.config, body.config));
        },
      }),
      pageTool({
        name: 'delete_product_channel',
        description: t('Deletes the link of the product to a channel.'),
        input: CHANNEL_INPUT,
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

/** Read how the product is linked to the channel now; null if it is not. */
async function readLinkConfig(productId: number, channelId: number): Promise<Config | null> {
  const { items } = await call(listProductChannels, { query: { product_id: [productId], channel_id: [channelId] } });
  return items[0]?.config ?? null;
}

/** Restore the link between product and channel to this config, whatever it is now; null removes the link. */
async function restoreLink(productId: number, channelId: number, newConfig: Config | null): Promise<void> {
  const one = { product_id: productId, channel_id: channelId };
  const current = await readLinkConfig(productId, channelId);
  if (newConfig === null) await call(removeProductChannel, { query: one });
  else if (current === null) await call(createProductChannel, { body: { ...one, config: newConfig } });
  else await call(replaceProductChannel, { query: { channel_id: channelId }, body: { ...one, config: newConfig } });
}
