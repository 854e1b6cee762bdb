/** How vendors, messengers and sessions of channels look and are called. */
import { Badge, Text, Tooltip } from '@mantine/core';
import {
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconHandStop,
  IconPlugConnected,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { Option } from '../../kit/form.ts';
import { formatNumber } from '../../kit/format.ts';
import { t } from '../../kit/t.ts';
import {
  type Channel,
  type ChannelType,
  type ChannelVendor,
  channelTypes,
  channelVendors,
  firstsRamp,
} from '../contract.ts';

// Names of products, the same in every language.
const VENDORS: Readonly<Record<ChannelVendor, string>> = { wazzup24: 'Wazzup24', chatpush: 'ChatPush' };
const TYPES: Readonly<Record<ChannelType, string>> = { telegram: 'Telegram', whatsapp: 'WhatsApp' };

export function vendorLabel(vendor: ChannelVendor): string {
  return VENDORS[vendor];
}

export function typeLabel(type: ChannelType): string {
  return TYPES[type];
}

/** The messenger's sign, which says its name to those who do not see it. */
export function Messenger({ type }: { type: ChannelType }) {
  const Icon = type === 'telegram' ? IconBrandTelegram : IconBrandWhatsapp;
  return <Icon size="1rem" role="img" aria-label={TYPES[type]} style={{ flex: 'none' }} />;
}

export function vendorOptions(): Option[] {
  return channelVendors.map((vendor) => ({ value: vendor, label: VENDORS[vendor] }));
}

export function typeOptions(): Option[] {
  return channelTypes.map((type) => ({ value: type, label: TYPES[type] }));
}

/**
 * What a vendor's word means and what mends it, in lower case because Wazzup24 writes the same state in both cases
 * (its channel list, checked 2026-11).
 */
const STATES: Readonly<Record<string, { word: string; mend: string | null }>> = {
  active: { word: 'Connected', mend: null },
  init: { word: 'Starting', mend: null },
  disabled: { word: 'Switched off', mend: 'Switch it on in the vendor’s cabinet, or renew the subscription.' },
  phoneunavailable: { word: 'Phone offline', mend: 'Turn the phone on and check its internet connection.' },
  qr: { word: 'Signed out', mend: 'Authorise: scan the QR code again in the vendor’s cabinet.' },
  qridle: { word: 'Signed out', mend: 'Authorise: scan the QR code again in the vendor’s cabinet.' },
  openelsewhere: { word: 'Open elsewhere', mend: 'Use here: close the other session of WhatsApp Web.' },
  notenoughmoney: { word: 'Not paid', mend: 'Top up the account in the vendor’s cabinet.' },
  foreignphone: { word: 'Another phone', mend: 'The QR code was scanned with another phone; scan it with this one.' },
  unauthorized: { word: 'Signed out', mend: 'Authorise: sign in again in the vendor’s cabinet.' },
  waitforphone: { word: 'Signed out', mend: 'Authorise: enter the phone number in the vendor’s cabinet.' },
  waitforcode: { word: 'Code needed', mend: 'Enter the code that the messenger has sent, in the vendor’s cabinet.' },
  gone: { word: 'Not found', mend: 'The vendor’s account has no such channel any more.' },
  waitforpassword: { word: 'Password needed', mend: 'Enter the second password in the vendor’s cabinet.' },
  blocked: { word: 'Blocked', mend: 'The messenger has blocked the number; ask the vendor.' },
  onmoderation: { word: 'In moderation', mend: 'Wait until the vendor has checked the number.' },
  rejected: { word: 'Rejected', mend: 'The number did not pass moderation; ask the vendor.' },
};

/** What mends a session that does not stand, in a sentence; null: nothing has to be done. */
export function mendingOf(channel: Pick<Channel, 'state' | 'is_session_active'>): string | null {
  return mendOf(channel, (channel.state === null ? null : STATES[channel.state.toLowerCase()]?.mend) ?? null);
}

/** The company that owns a channel. Members do not see an owner that is not theirs: to them it is shared. */
export function OwnerName({ channel, admin }: { channel: Channel; admin: boolean }) {
  const { company_name: owner, shared_company_ids: shared } = channel;
  if (owner === null)
    return (
      <Text span inherit c="dimmed">
        {admin ? t('No owner') : t('Shared with you')}
      </Text>
    );
  if (shared.length === 0) return owner;
  return (
    <>
      <Text inherit truncate>
        {owner}
      </Text>
      <Text size="xs" lh={1.3} c="dimmed">
        {t('Shared')}
      </Text>
    </>
  );
}

/** Whether the channel works, in words, with what mends it on hover. */
export function SessionBadge({ channel }: { channel: Pick<Channel, 'state' | 'is_session_active' | 'is_active'> }) {
  if (!channel.is_active) {
    return (
      <Tooltip label={t('The channel is inactive in Rapport: nothing is sent through it.')}>
        <Badge color="gray" leftSection={<IconPlugConnectedX size={12} aria-hidden />}>
          {t('Inactive')}
        </Badge>
      </Tooltip>
    );
  }
  const known = channel.state === null ? null : STATES[channel.state.toLowerCase()];
  const works = channel.is_session_active;
  const word = wordOf(channel, known?.word);
  const Icon = works ? IconPlugConnected : IconPlugConnectedX;
  const badge = (
    <Badge color={works ? 'teal' : 'orange'} leftSection={<Icon size={12} aria-hidden />}>
      {word}
    </Badge>
  );
  const mend = mendOf(channel, known?.mend ?? null);
  return mend === null ? badge : <Tooltip label={mend}>{badge}</Tooltip>;
}

/** That a channel sends no first messages by itself now, and why on hover. */
export function FirstsBadge({ channel }: { channel: Pick<Channel, 'firsts_stopped_reason'> }) {
  if (channel.firsts_stopped_reason === null) return null;
  return (
    <Tooltip label={channel.firsts_stopped_reason} multiline>
      <Badge color="red" leftSection={<IconHandStop size={12} aria-hidden />}>
        {t('First messages stopped')}
      </Badge>
    </Tooltip>
  );
}

/** What keeps a channel from writing to as many strangers as its products allow, with the reason on hover. */
export function FirstsNote({ channel }: { channel: Pick<Channel, 'firsts_stopped_reason' | 'config'> }) {
  const stopped = channel.firsts_stopped_reason;
  const ramp = firstsRamp(channel.config);
  if (stopped !== null) return <Note word={t('First messages stopped')} color="red" reason={stopped} />;
  if (ramp === null) return null;
  const reason = t('First messages: {{start}} on its first day, {{step}} more on each later one', {
    start: formatNumber(ramp.start),
    step: formatNumber(ramp.step),
  });
  return <Note word={t('Warming up')} color="dimmed" reason={reason} />;
}

function Note({ word, color, reason }: { word: string; color: string; reason: string }) {
  return (
    <Tooltip label={reason} multiline>
      <Text size="xs" lh={1.3} w="fit-content" c={color}>
        {word}
      </Text>
    </Tooltip>
  );
}

function wordOf(channel: Pick<Channel, 'state' | 'is_session_active'>, known: string | undefined): string {
  if (known !== undefined) return t(known);
  if (channel.state !== null) return channel.state;
  return channel.is_session_active ? t('Connected') : t('Not heard of yet');
}

function mendOf(channel: Pick<Channel, 'state' | 'is_session_active'>, mend: string | null): string | null {
  if (mend !== null) return t(mend);
  if (channel.state === null && !channel.is_session_active) {
    return t('Register the webhook: the vendor then tells the state of the channel.');
  }
  return null;
}
