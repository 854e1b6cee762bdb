/** What the page of a product's channels tells the assistant, and what may be done on it. */
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { createProductChannel } from '../contract.ts';
import type { Link, linkBody } from './link.ts';

interface Doing {
  save: (old: null, body: ReturnType<typeof linkBody>) => Promise<void>;
  remove: (link: Link) => Promise<void>;
}

export function linkContext(
  productId: number,
  links: readonly Link[] | undefined,
  { save, remove }: Doing,
): PageContext {
  return {
    description: t('The channels that the chosen product writes from, with the delay of its messages on each.'),
    summary: JSON.stringify(
      links?.map(({ channel_id, name, config }) => ({ channel_id, name, ...config })) ?? { state: 'not loaded' },
    ),
    tools: [
      {
        name: 'create_product_channel',
        description: t('Links a channel to the product.'),
        parameters: {
          type: 'object',
          properties: {
            channel_id: { type: 'integer' },
            inbound_enabled: { type: 'boolean' },
            delay_messages_symbols_per_second: { type: ['integer', 'null'] },
            delay_messages_seconds: { type: ['integer', 'null'] },
          },
          required: ['channel_id'],
        },
        confirm: true,
      },
      {
        name: 'delete_product_channel',
        description: t('Takes the link of the product to a channel away.'),
        parameters: { type: 'object', properties: { channel_id: { type: 'integer' } }, required: ['channel_id'] },
        confirm: true,
      },
    ],
    handlers: {
      create_product_channel: {
        call: async ({ channel_id, ...config }) => {
          const read = createProductChannel.body.safeParse({ product_id: productId, channel_id, config });
          if (!read.success) return { status: 'not created', reasons: read.error.issues.map(({ message }) => message) };
          await save(null, read.data);
          return { status: 'created' };
        },
      },
      delete_product_channel: {
        call: async ({ channel_id }) => {
          const link = links?.find((one) => one.channel_id === channel_id);
          if (!link) return { status: 'not deleted', reason: 'The product has no link to this channel.' };
          await remove(link);
          return { status: 'deleted' };
        },
      },
    },
  };
}
