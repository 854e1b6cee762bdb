/** Describe what a change of settings would do, in words. Pure. */
import { channelTypes } from '../../channels/contract.ts';
import { formatCalendarDay, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import type { Consequences } from '../rehearsalContract.ts';

export interface Effect {
  readonly text: string;
  readonly isWarning: boolean;
}

/** Number of days with a limit that are named; further days are counted. */
const NAMED_DAYS = 2;
const MESSENGERS = { telegram: 'Telegram', whatsapp: 'WhatsApp' } as const;

/** Describe each effect in one sentence; those within the next hour come first. */
export function describeEffects(consequences: Consequences): Effect[] {
  const plain = (text: string): Effect => ({ text, isWarning: false });
  const { moved, added, dropped, dropped_by_expiry: expired, limits, at_once: atOnce } = consequences;
  const effects: Effect[] = [];
  const warning = (text: string) => effects.push({ text, isWarning: true });
  if (atOnce > 0) warning(t('{{count}} would be sent within the next hour', countParams(atOnce)));
  if (consequences.expired_at_once > 0)
    warning(
      t('{{count}} leads would expire within the next hour', {
        ...countParams(consequences.expired_at_once),
        defaultValue_one: '1 lead would expire within the next hour',
      }),
    );
  if (consequences.after_hours > 0)
    warning(
      t('{{count}} leads get no first message: Send at is after their working hours', {
        ...countParams(consequences.after_hours),
        defaultValue_one: '1 lead gets no first message: Send at is after its working hours',
      }),
    );
  const parts = [
    ...(moved > 0
      ? [t('{{count}} messages move', { ...countParams(moved), defaultValue_one: '1 message moves' })]
      : []),
    ...(added > 0 ? [t('{{count}} more messages', { ...countParams(added), defaultValue_one: '1 more message' })] : []),
    ...(expired > 0
      ? [
          t('{{count}} fewer messages by expiry', {
            ...countParams(expired),
            defaultValue_one: '1 fewer message by expiry',
          }),
        ]
      : []),
    ...(dropped > expired
      ? [t('{{count}} fewer messages', { ...countParams(dropped - expired), defaultValue_one: '1 fewer message' })]
      : []),
  ];
  if (parts.length > 0) effects.push(plain(parts.join(', ')));
  const expiring = consequences.expired_after - consequences.expired_before;
  if (expiring !== 0)
    effects.push(
      plain(
        expiring > 0
          ? t('{{count}} more leads expire', { ...countParams(expiring), defaultValue_one: '1 more lead expires' })
          : t('{{count}} fewer leads expire', { ...countParams(-expiring), defaultValue_one: '1 fewer lead expires' }),
      ),
    );
  for (const type of channelTypes) {
    const days = limits
      .filter((one) => one.type === type)
      .map(({ day }) => formatCalendarDay(day, consequences.timezone));
    if (days.length > 0) effects.push(plain(describeLimit(MESSENGERS[type], days)));
  }
  return effects.length > 0 ? effects : [plain(t('Nothing changes'))];
}

function describeLimit(messenger: string, days: readonly string[]): string {
  const named = days.slice(0, NAMED_DAYS).join(', ');
  const more = days.length - NAMED_DAYS;
  if (more > 0)
    return t('{{named}} and {{count}} more days reach the limit on {{messenger}}', {
      named,
      messenger,
      ...countParams(more),
      defaultValue_one: '{{named}} and 1 more day reach the limit on {{messenger}}',
    });
  return t('{{named}} reach the limit on {{messenger}}', {
    named,
    messenger,
    count: days.length,
    defaultValue_one: '{{named}} reaches the limit on {{messenger}}',
  });
}

/** Build translation parameters: small counts stay numbers, which select the plural form; large ones are formatted. */
function countParams(count: number): { count: string | number } {
  return { count: count < 1000 ? count : formatNumber(count) };
}
