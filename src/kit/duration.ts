/** Lengths of time in words. Pure. */
import { t } from './t.ts';

/** `2 d 4 h 5 min`; what is zero is left out. */
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
