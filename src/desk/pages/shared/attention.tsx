/** What a dialogue needs from people, in words, and how long it has waited: one table for all pages. */
import { Text } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangle,
  IconCoin,
  IconHandStop,
  IconHelpCircle,
  IconMessageReply,
  IconMessageX,
  IconUserQuestion,
} from '@tabler/icons-react';
import type { Attention, AttentionState } from '../../../conversations/attentionContract.ts';
import type { Dialogue } from '../../../conversations/contract.ts';
import { useNow } from '../../../ui/clock.ts';
import { dateTimeInSentence, formatExact } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { ATTENTION_LINES } from '../../attentionContract.ts';
import classes from './desk.module.css';

const attentionIcons: Readonly<Record<AttentionState, Icon>> = {
  says_deal: IconCoin,
  asked_for_human: IconUserQuestion,
  may_opt_out: IconHandStop,
  no_answer: IconHelpCircle,
  waiting_for_human: IconMessageReply,
  send_failed: IconMessageX,
  unconfirmed: IconAlertTriangle,
};

/** Return what a dialogue needs, as a short sentence. */
function attentionLabel(state: AttentionState): string {
  return t(ATTENTION_LINES[state]);
}

export function AttentionReason({ state }: { state: AttentionState }) {
  const Glyph = attentionIcons[state];
  return (
    <span className={classes.reason}>
      <Glyph size={14} aria-hidden className={classes.fixed} />
      <span className={classes.ellipsis}>{attentionLabel(state)}</span>
    </span>
  );
}

type Urgency = 'in time' | 'soon' | 'late';

/** From half of the target a wait is urgent; beyond it, late. `at` in milliseconds. */
export function urgencyOf({ since, due_at: dueAt }: Pick<Attention, 'since' | 'due_at'>, at: number): Urgency {
  const [from, due] = [Date.parse(since), Date.parse(dueAt)];
  if (at > due) return 'late';
  return at >= from + (due - from) / 2 ? 'soon' : 'in time';
}

const URGENCY_NOTES: Readonly<Record<Urgency, string | null>> = {
  'in time': null,
  soon: 'More than half of the target time has passed.',
  late: 'The target time has passed.',
};

/** Format how long somebody has waited: `under 1 min`, `12 min`, `3 h`, `2 d`. */
function formatWait(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return t('under 1 min');
  if (minutes < 60) return t('{{minutes}} min', { minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? t('{{hours}} h', { hours }) : t('{{days}} d', { days: Math.floor(hours / 24) });
}

/** How long a dialogue has waited: neutral, amber from half of the target, red beyond it. */
export function WaitingTime({ attention }: { attention: Attention }) {
  const at = useNow();
  const urgency = urgencyOf(attention, at);
  const note = URGENCY_NOTES[urgency];
  const wait = formatWait(at - Date.parse(attention.since));
  const title = [
    t('Since {{time}}', { time: formatExact(attention.since) }),
    t('Target: {{time}}', { time: dateTimeInSentence(attention.due_at) }),
    ...(note === null ? [] : [t(note)]),
  ].join('\n');
  return (
    <span className={classes.wait} data-urgency={urgency} title={title}>
      {urgency === 'late' && <IconAlertTriangle size={12} role="img" aria-label={t('The target time has passed.')} />}
      {wait}
    </span>
  );
}

/** The initials of the operator who sees to a dialogue. */
export function Assignee({ login }: { login: string }) {
  const initials = login.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = initials.length > 1 ? initials.slice(0, 2).map((one) => one.slice(0, 1)) : [login.slice(0, 2)];
  return (
    <span
      className={classes.assignee}
      role="img"
      aria-label={t('Assigned to {{login}}', { login })}
      title={t('Assigned to {{login}}', { login })}
    >
      {letters.join('').toUpperCase()}
    </span>
  );
}

/** Return until when a dialogue is snoozed, on the operator's clock like the thread; null if it is not. */
export function snoozeText(dialogue: Pick<Dialogue, 'snoozed_until' | 'snoozed_until_reply'>): string | null {
  const { snoozed_until: until, snoozed_until_reply: untilReply } = dialogue;
  if (until === null) return untilReply ? t('Snoozed until the lead writes') : null;
  const time = dateTimeInSentence(until);
  return untilReply ? t('Snoozed until {{time}} or a reply', { time }) : t('Snoozed until {{time}}', { time });
}

export function SnoozeNote({ dialogue }: { dialogue: Dialogue }) {
  const text = snoozeText(dialogue);
  return text === null ? null : (
    <Text span size="xs" c="dimmed" truncate title={text} className={classes.snooze}>
      {text}
    </Text>
  );
}
