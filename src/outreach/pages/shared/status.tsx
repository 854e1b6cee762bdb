/** How outreach is displayed: the state of a lead in its sequence, the kind of a message, and what comes next. */
import { Badge } from '@mantine/core';
import {
  type Icon,
  IconAlertCircle,
  IconBan,
  IconBell,
  IconCircleCheck,
  IconClock,
  IconClockPause,
  IconHourglass,
  IconHourglassOff,
  IconMessageOff,
  IconPlayerPlay,
  IconSend,
} from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import type { Tone } from '../../../ui/theme.ts';
import { type Reason, reasonText } from '../../reason.ts';
import type { LeadOutreach, RehearsedMessage, SequenceState } from '../../rehearsalContract.ts';

interface BadgeStyle {
  label: string;
  tone: Tone;
  icon: Icon;
}

const stateStyles: Readonly<Record<SequenceState, BadgeStyle>> = {
  waiting: { label: 'Waiting', tone: 'gray', icon: IconHourglass },
  active: { label: 'Active', tone: 'accent', icon: IconPlayerPlay },
  paused: { label: 'Paused', tone: 'yellow', icon: IconClockPause },
  'finished, replied': { label: 'In conversation', tone: 'green', icon: IconCircleCheck },
  'finished, no reply': { label: 'Finished, no reply', tone: 'gray', icon: IconMessageOff },
  failed: { label: 'Failed', tone: 'red', icon: IconAlertCircle },
  'opted out': { label: 'Opted out', tone: 'orange', icon: IconBan },
};

export function SequenceBadge({ state }: { state: SequenceState }) {
  const { label, tone, icon: Glyph } = stateStyles[state];
  return (
    <Badge color={tone} flex="none" leftSection={<Glyph size={12} aria-hidden />} data-sequence={state}>
      {t(label)}
    </Badge>
  );
}

/** Kinds of entries in a rehearsal. */
export type RehearsalKind = RehearsedMessage['kind'] | 'expired';

export const kindStyles: Readonly<Record<RehearsalKind, BadgeStyle>> = {
  first: { label: 'First messages', tone: 'blue', icon: IconSend },
  ping: { label: 'Follow-ups', tone: 'accent', icon: IconBell },
  scheduled: { label: 'Already scheduled', tone: 'teal', icon: IconClock },
  expired: { label: 'Leads that expire', tone: 'gray', icon: IconHourglassOff },
};

/** Show the kind of a rehearsed message: `Follow-up 2`. */
export function KindBadge({ kind, step }: Pick<RehearsedMessage, 'kind' | 'step'>) {
  const { tone, icon: Glyph } = kindStyles[kind];
  return (
    <Badge color={tone} flex="none" leftSection={<Glyph size={12} aria-hidden />} data-kind={kind}>
      {kindLabel(kind, step)}
    </Badge>
  );
}

export function kindLabel(kind: RehearsedMessage['kind'], step: number | null): string {
  switch (kind) {
    case 'first':
      return t('First message');
    case 'ping':
      return step === null ? t('Follow-up') : t('Follow-up {{step}}', { step });
    case 'scheduled':
      return t('Scheduled');
    default:
      return kind satisfies never;
  }
}

/** Name what comes next for a lead: `Follow-up 2`; null if nothing does. */
export function nextLabel({ next, why }: Pick<LeadOutreach, 'next' | 'why'>): string | null {
  if (next === 'expire') return t('Moves to stage Ignore');
  return next && kindLabel(next, 'step' in why ? why.step : null);
}

/** Describe why the next action does not happen at once; its name is shown beside it. */
export function describeDelay(reason: Reason): string {
  switch (reason.code) {
    case 'step':
      return t('Not due yet');
    case 'step_hours':
      return reasonText({ ...reason, code: 'hours' });
    default:
      return reasonText(reason);
  }
}
