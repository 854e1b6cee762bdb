/** Colour, icon and label of each message status, used everywhere. */
import { Badge } from '@mantine/core';
import {
  type Icon,
  IconAlertCircle,
  IconArrowDownLeft,
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  IconClockUp,
  IconHelpCircle,
} from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { Tip } from '../../../ui/Tip.tsx';
import type { Tone } from '../../../ui/theme.ts';
import type { Message, MessageStatus } from '../../contract.ts';

interface StatusStyle {
  label: string;
  tone: Tone;
  icon: Icon;
}

const statusStyles: Readonly<Record<MessageStatus, StatusStyle>> = {
  scheduled: { label: 'Queued', tone: 'gray', icon: IconClock },
  sending: { label: 'Sending', tone: 'gray', icon: IconClockUp },
  sent: { label: 'Sent', tone: 'gray', icon: IconCheck },
  delivered: { label: 'Delivered', tone: 'gray', icon: IconChecks },
  read: { label: 'Read', tone: 'blue', icon: IconChecks },
  error: { label: 'Failed', tone: 'red', icon: IconAlertCircle },
  cancelled: { label: 'Cancelled', tone: 'gray', icon: IconBan },
  unconfirmed: { label: 'Unconfirmed', tone: 'gray', icon: IconHelpCircle },
  inbound: { label: 'Received', tone: 'gray', icon: IconArrowDownLeft },
};

/** Return the label of a status in the operator's language. */
export function statusLabel(status: MessageStatus): string {
  return t(statusStyles[status].label);
}

/** The icon alone, with its label and a note on hover: for bubbles. */
export function MessageStatusIcon({ status, note }: { status: MessageStatus; note?: string | undefined }) {
  const { tone, icon: Glyph } = statusStyles[status];
  const label = note === undefined ? statusLabel(status) : `${statusLabel(status)}: ${note}`;
  return (
    <Tip label={label}>
      <Glyph
        size={15}
        role="img"
        aria-label={statusLabel(status)}
        color={tone === 'gray' ? 'var(--mantine-color-dimmed)' : `var(--mantine-color-${tone}-light-color)`}
        data-status={status}
      />
    </Tip>
  );
}

/** Icon and label: for lists. */
export function MessageStatusBadge({ status }: { status: MessageStatus }) {
  const { tone, icon: Glyph } = statusStyles[status];
  return (
    <Badge color={tone} leftSection={<Glyph size={12} aria-hidden />}>
      {statusLabel(status)}
    </Badge>
  );
}

/** Return the label of a message that was sent unasked, such as `Follow-up 2`; null for other messages. */
export function originLabel({
  origin,
  ping_step_number: step,
}: Pick<Message, 'origin' | 'ping_step_number'>): string | null {
  if (step !== null) return t('Follow-up {{step}}', { step });
  return origin === null ? null : t(ORIGINS[origin]);
}

const ORIGINS = {
  first: 'First message',
  ping: 'Follow-up',
  hand_over: 'Hand-over',
} as const satisfies Record<NonNullable<Message['origin']>, string>;
