/** What a change of settings would do, in words. Pure. */
import { formatDay, formatNumber } from '../../kit/format.ts';
import { t } from '../../kit/t.ts';
import type { Consequences } from '../rehearsalContract.ts';
import { instantOf } from './calendar.ts';

export interface Effect {
  readonly text: string;
  readonly isWarning: boolean;
}

/** Days with a limit that are named; the others are counted. */
const NAMED_DAYS = 3;
const MESSENGERS = { telegram: 'Telegram', whatsapp: 'WhatsApp' } as const;

/** One sentence each; what leaves soon comes first. */
export function effectsOf(told: Consequences): Effect[] {
  const plain = (text: string): Effect => ({ text, isWarning: false });
  const { moved, added, dropped, dropped_by_expiry: expired, limits, at_once: soon } = told;
  const effects: Effect[] = [];
  if (soon > 0) effects.push({ text: t('{{count}} would leave within the next hour', counted(soon)), isWarning: true });
  const parts = [
    ...(moved > 0 ? [t('{{count}} messages move', { ...counted(moved), defaultValue_one: '1 message moves' })] : []),
    ...(added > 0 ? [t('{{count}} more go out', { ...counted(added), defaultValue_one: '1 more goes out' })] : []),
    ...(expired > 0
      ? [t('{{count}} fall out by expiry', { ...counted(expired), defaultValue_one: '1 falls out by expiry' })]
      : []),
    ...(dropped > expired
      ? [t('{{count}} fall out', { ...counted(dropped - expired), defaultValue_one: '1 falls out' })]
      : []),
  ];
  if (parts.length > 0) effects.push(plain(parts.join(', ')));
  for (const { day, type } of limits.slice(0, NAMED_DAYS))
    effects.push(
      plain(
        t('{{day}} reaches the limit on {{messenger}}', {
          day: formatDay(instantOf(day), 'UTC'),
          messenger: MESSENGERS[type],
        }),
      ),
    );
  if (limits.length > NAMED_DAYS)
    effects.push(
      plain(
        t('So do {{count}} more days', {
          ...counted(limits.length - NAMED_DAYS),
          defaultValue_one: 'So does 1 more day',
        }),
      ),
    );
  return effects.length > 0 ? effects : [plain(t('Nothing changes'))];
}

/** The number decides the form, its writing is shown. */
function counted(count: number): { count: string | number } {
  return { count: count < 1000 ? count : formatNumber(count) };
}
