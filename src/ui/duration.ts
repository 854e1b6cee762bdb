/** Format and convert durations. Pure. */
import { t } from './i18n.ts';

/** Format minutes as `2 d 4 h 5 min`. Zero parts are left out. */
export function formatMinutes(minutes: number): string {
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const rest = minutes % 60;
  const parts = [
    days > 0 ? t('{{count}} d', { count: days }) : '',
    hours > 0 ? t('{{count}} h', { count: hours }) : '',
    rest > 0 || minutes === 0 ? t('{{count}} min', { count: rest }) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

export type DurationUnit = 'minutes' | 'hours' | 'days';

const MINUTES: Readonly<Record<DurationUnit, number>> = { minutes: 1, hours: 60, days: 1440 };

/** Return the number of minutes in a unit. */
export function minutesIn(unit: DurationUnit): number {
  return MINUTES[unit];
}

/** Return the largest unit in which a duration is a whole number. Up to 60 minutes stay minutes. */
export function unitOf(minutes: number | null): DurationUnit {
  if (minutes === null || minutes <= 60) return 'minutes';
  if (minutes % 1440 === 0) return 'days';
  return minutes % 60 === 0 ? 'hours' : 'minutes';
}
