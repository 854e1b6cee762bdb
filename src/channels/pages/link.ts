/** The form of a product's channel link, and the request body built from it. */

import type { BodyOf } from '../../platform/contract.ts';
import type { Field, FormValues } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { OptionSource } from '../../ui/optionSource.ts';
import { type Channel, createProductChannel, type ProductChannel } from '../contract.ts';
import { typeLabel } from './channelDisplay.tsx';
import { channelSource } from './shared/channelSource.ts';

/** A row of the table. A channel is linked to a product at most once, so its id identifies the link. */
export interface Link extends ProductChannel {
  readonly id: number;
  /** Null while it loads, and when it does not exist any more. */
  readonly channel: Channel | null;
  readonly name: string;
}

/** Build the options of channels to link, without those that are linked already. */
function linkableChannels(companyId: number | null, linkedChannelIds: readonly number[]): OptionSource {
  const source = channelSource(companyId, {
    labelOf: (channel) =>
      t('{{name}} · {{messenger}}', { name: channel.name, messenger: typeLabel(channel.channel_type) }),
    accepts: ({ id }) => !linkedChannelIds.includes(id),
  });
  return { ...source, listKey: [...source.listKey, 'without', linkedChannelIds] };
}

/** Build the fields of the form. `linkedChannelIds` leaves out the channel of the link that is edited. */
export function linkFields(companyId: number | null, linkedChannelIds: readonly number[]): Field[] {
  return [
    {
      kind: 'select',
      name: 'channel_id',
      label: t('Channel'),
      source: linkableChannels(companyId, linkedChannelIds),
      required: true,
    },
    {
      kind: 'select',
      name: 'inbound_enabled',
      label: t('Inbound Messages Enabled'),
      description: t(
        'When enabled, new people who write to this channel become leads of this product. At most one product per channel.',
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
      description: t(
        'Typing speed: at 20, a message of 100 symbols is sent after 5 seconds. If empty, there is no delay.',
      ),
      integer: true,
      min: 1,
      max: 10_000,
    },
    {
      kind: 'number',
      name: 'delay_messages_seconds',
      label: t('Delay (seconds)'),
      description: t('Added to the typing delay, whatever the length. If empty, nothing is added.'),
      integer: true,
      min: 0,
      max: 86_400,
    },
  ];
}

/** Return the initial values of the form. */
export function linkValues(link: ProductChannel | null): FormValues {
  const { delay_messages_symbols_per_second: symbols, delay_messages_seconds: seconds } = link?.config ?? {};
  return {
    channel_id: link === null ? '' : String(link.channel_id),
    inbound_enabled: String(link?.config.inbound_enabled ?? false),
    delay_messages_symbols_per_second: String(symbols ?? ''),
    delay_messages_seconds: String(seconds ?? ''),
  };
}

/** Build the request body from the generic form's `values`. Throws Zod's error where the contract refuses it. */
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
