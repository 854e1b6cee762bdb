/** Labels, icons and badges for vendors, messengers and channel sessions. */
import { Badge, Text, Tooltip } from '@mantine/core';
import {
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconHandStop,
  IconPlugConnected,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { Option } from '../../ui/form.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import {
  type Channel,
  type ChannelType,
  type ChannelVendor,
  channelTypes,
  channelVendors,
  readRamp,
} from '../contract.ts';

// Product names, the same in every language.
const VENDOR_NAMES: Readonly<Record<ChannelVendor, string>> = { wazzup24: 'Wazzup24', chatpush: 'ChatPush' };
const TYPE_NAMES: Readonly<Record<ChannelType, string>> = { telegram: 'Telegram', whatsapp: 'WhatsApp' };

export function vendorLabel(vendor: ChannelVendor): string {
  return VENDOR_NAMES[vendor];
}

export function typeLabel(type: ChannelType): string {
  return TYPE_NAMES[type];
}

/** The messenger's icon, labelled with its name for screen readers. */
export function Messenger({ type }: { type: ChannelType }) {
  const Icon = type === 'telegram' ? IconBrandTelegram : IconBrandWhatsapp;
  return <Icon size="1rem" role="img" aria-label={TYPE_NAMES[type]} style={{ flex: 'none' }} />;
}

export function vendorOptions(): Option[] {
  return channelVendors.map((vendor) => ({ value: vendor, label: VENDOR_NAMES[vendor] }));
}

export function typeOptions(): Option[] {
  return channelTypes.map((type) => ({ value: type, label: TYPE_NAMES[type] }));
}

/**
 * Labels and remedies of a vendor's state words. Keys are lower case because Wazzup24 writes the same state in both
 * cases (its channel list, checked 2026-11).
 */
const STATE_TEXTS: Readonly<Record<string, { label: string; remedy: string | null }>> = {
  active: { label: 'Connected', remedy: null },
  init: { label: 'Starting', remedy: null },
  disabled: { label: 'Switched off', remedy: 'Switch it on in the vendor’s dashboard, or renew the subscription.' },
  phoneunavailable: { label: 'Phone offline', remedy: 'Turn the phone on and check its internet connection.' },
  qr: { label: 'Signed out', remedy: 'Authorise: scan the QR code again in the vendor’s dashboard.' },
  qridle: { label: 'Signed out', remedy: 'Authorise: scan the QR code again in the vendor’s dashboard.' },
  openelsewhere: { label: 'Open elsewhere', remedy: 'Use here: close the other session of WhatsApp Web.' },
  notenoughmoney: { label: 'Not paid', remedy: 'Top up the account in the vendor’s dashboard.' },
  foreignphone: {
    label: 'Another phone',
    remedy: 'The QR code was scanned with another phone; scan it with this one.',
  },
  unauthorized: { label: 'Signed out', remedy: 'Authorise: sign in again in the vendor’s dashboard.' },
  waitforphone: { label: 'Signed out', remedy: 'Authorise: enter the phone number in the vendor’s dashboard.' },
  waitforcode: {
    label: 'Code needed',
    remedy: 'Enter the code that the messenger has sent, in the vendor’s dashboard.',
  },
  gone: { label: 'Not found', remedy: 'The vendor’s account no longer has this channel.' },
  waitforpassword: { label: 'Password needed', remedy: 'Enter the second password in the vendor’s dashboard.' },
  blocked: { label: 'Blocked', remedy: 'The messenger has blocked the number; ask the vendor.' },
  onmoderation: { label: 'In moderation', remedy: 'Wait until the vendor has checked the number.' },
  rejected: { label: 'Rejected', remedy: 'The number did not pass moderation; ask the vendor.' },
};

/** Return how to repair a session that is not connected, as a sentence; null if nothing has to be done. */
export function sessionRemedy(channel: Pick<Channel, 'state' | 'is_session_active'>): string | null {
  return remedyText(
    channel,
    (channel.state === null ? null : STATE_TEXTS[channel.state.toLowerCase()]?.remedy) ?? null,
  );
}

/**
 * The company that owns a channel. Members do not see an owner that is not theirs; the channel shows as shared with
 * them.
 */
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

/** Whether the channel works, as a badge, with the remedy on hover. */
export function SessionBadge({ channel }: { channel: Pick<Channel, 'state' | 'is_session_active' | 'is_active'> }) {
  if (!channel.is_active) {
    return (
      <Tooltip label={t('Inactive in Rapport: it sends nothing.')}>
        <Badge color="gray" leftSection={<IconPlugConnectedX size={12} aria-hidden />}>
          {t('Inactive')}
        </Badge>
      </Tooltip>
    );
  }
  const stateInfo = channel.state === null ? null : STATE_TEXTS[channel.state.toLowerCase()];
  const works = channel.is_session_active;
  const label = stateLabel(channel, stateInfo?.label);
  const Icon = works ? IconPlugConnected : IconPlugConnectedX;
  const badge = (
    <Badge color={works ? 'teal' : 'orange'} leftSection={<Icon size={12} aria-hidden />}>
      {label}
    </Badge>
  );
  const remedy = remedyText(channel, stateInfo?.remedy ?? null);
  return remedy === null ? badge : <Tooltip label={remedy}>{badge}</Tooltip>;
}

/** Show that a channel stopped first messages automatically, with the reason on hover. */
export function FirstMessagesBadge({ channel }: { channel: Pick<Channel, 'firsts_stopped_reason'> }) {
  if (channel.firsts_stopped_reason === null) return null;
  return (
    <Tooltip label={channel.firsts_stopped_reason} multiline>
      <Badge color="red" leftSection={<IconHandStop size={12} aria-hidden />}>
        {t('First messages stopped')}
      </Badge>
    </Tooltip>
  );
}

/** Show what limits the channel's first messages beyond its products' quotas, with the reason on hover. */
export function FirstMessagesNote({ channel }: { channel: Pick<Channel, 'firsts_stopped_reason' | 'config'> }) {
  const stopped = channel.firsts_stopped_reason;
  const ramp = readRamp(channel.config);
  if (stopped !== null) return <Note label={t('First messages stopped')} color="red" reason={stopped} />;
  if (ramp === null) return null;
  const reason = t('First messages: {{start}} on the first day, {{step}} more each day after', {
    start: formatNumber(ramp.start),
    step: formatNumber(ramp.step),
  });
  return <Note label={t('Warming up')} color="dimmed" reason={reason} />;
}

function Note({ label, color, reason }: { label: string; color: string; reason: string }) {
  return (
    <Tooltip label={reason} multiline>
      <Text size="xs" lh={1.3} w="fit-content" c={color}>
        {label}
      </Text>
    </Tooltip>
  );
}

function stateLabel(channel: Pick<Channel, 'state' | 'is_session_active'>, knownLabel: string | undefined): string {
  if (knownLabel !== undefined) return t(knownLabel);
  if (channel.state !== null) return channel.state;
  return channel.is_session_active ? t('Connected') : t('No status yet');
}

function remedyText(channel: Pick<Channel, 'state' | 'is_session_active'>, remedy: string | null): string | null {
  if (remedy !== null) return t(remedy);
  if (channel.state === null && !channel.is_session_active) {
    return t('Register the webhook to get the channel’s status from the vendor.');
  }
  return null;
}
