/** The form of a link between a product and a channel, and the body that it becomes. */

import type { BodyOf } from '../../platform/contract.ts';
import type { Field, FormValues } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../ui/optionSource.ts';
import { type Channel, channels, createProductChannel, type ProductChannel } from '../contract.ts';
import { typeLabel } from './channelDisplay.tsx';

/** A row of the table: a channel is linked to a product once, so its id names the link. */
export interface Link extends ProductChannel {
  readonly id: number;
  /** Null while it is read, and where it is gone. */
  readonly channel: Channel | null;
  readonly name: string;
}

/** Channels to link; those of `taken` are linked already. */
function channelSource(linkedChannelIds: readonly number[]): OptionSource {
  const all = optionSource(channels, (channel) =>
    t('{{name}} · {{messenger}}', { name: channel.name, messenger: typeLabel(channel.channel_type) }),
  );
  return {
    ...all,
    listKey: [...all.listKey, 'without', linkedChannelIds],
    search: async (text, signal) =>
      (await all.search(text, signal)).filter(({ value }) => !linkedChannelIds.includes(Number(value))),
  };
}

/** @param taken channels that the product is linked to, without the link that is edited. */
export function linkFields(linkedChannelIds: readonly number[]): Field[] {
  return [
    {
      kind: 'select',
      name: 'channel_id',
      label: t('Channel'),
      source: channelSource(linkedChannelIds),
      required: true,
    },
    {
      kind: 'select',
      name: 'inbound_enabled',
      label: t('Inbound Messages Enabled'),
      description: t(
        'Enabled: somebody new who writes on this channel becomes a lead of this product. One product of a channel at most.',
      ),
      options: [
        { value: 'false', label: t('Disabled') },
        { value: 'true', label: t('Enabled') },
      ],
      required: true,
    },
    {
      kind: 'number',
      name: 'delay_messages_symbols_per_second',
      label: t('Delay (symbols/sec)'),
      description: t('As fast as somebody types: at 20 a message of 100 symbols goes after 5 seconds. Empty: at once.'),
      integer: true,
      min: 1,
      max: 10_000,
    },
    {
      kind: 'number',
      name: 'delay_messages_seconds',
      label: t('Delay (seconds)'),
      description: t('Is added to it, whatever the length. Empty: nothing.'),
      integer: true,
      min: 0,
      max: 86_400,
    },
  ];
}

/** What the form begins with. */
export function linkValues(link: ProductChannel | null): FormValues {
  const { delay_messages_symbols_per_second: symbols, delay_messages_seconds: seconds } = link?.config ?? {};
  return {
    channel_id: link === null ? '' : String(link.channel_id),
    inbound_enabled: String(link?.config.inbound_enabled ?? false),
    delay_messages_symbols_per_second: String(symbols ?? ''),
    delay_messages_seconds: String(seconds ?? ''),
  };
}

/** @param sent the generic form's body. Throws Zod's error where the contract refuses it. */
export function linkBody(
  productId: number,
  values: Readonly<Record<string, unknown>>,
): BodyOf<typeof createProductChannel> {
  const { channel_id, inbound_enabled, ...delays } = values;
  return createProductChannel.body.parse({
    product_id: productId,
    channel_id,
    config: { ...delays, inbound_enabled: inbound_enabled === 'true' },
  });
}
