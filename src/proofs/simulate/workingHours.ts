/** Working hours and days of a simulated product, by the platform's own calendar. */
import type { Era } from './product.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Return whether an instant is working time, by the platform's calendar. */
export function isWorkingTime(era: Era, zone: string, at: number): boolean {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
  const window = era.days[WEEKDAYS.indexOf(parts['weekday'] ?? '')];
  const now = `${parts['hour']}:${parts['minute']}`;
  return window !== null && window !== undefined && now >= window.start && now < window.end;
}

const dates = new Map<string, Intl.DateTimeFormat>();

/** Return the date of an instant in a time zone, by the platform's calendar: `2026-03-29`. */
export function dateIn(zone: string, at: number): string {
  let format = dates.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    dates.set(zone, format);
  }
  return format.format(at);
}
