/** Working hours and days of a simulated product, by the platform's own calendar. */
import type { Era } from './product.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Return an instant's local time in parts: `weekday`, `year`, `month`, `day`, `hour`, `minute`. */
function localTime(zone: string, at: number): Partial<Record<string, string>> {
  const two = '2-digit';
  const style = { weekday: 'short', year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...style, hourCycle: 'h23' });
  formats.set(zone, format);
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Return whether an instant is working time. */
export function isWorkingTime(era: Era, zone: string, at: number): boolean {
  const { weekday = '', hour, minute } = localTime(zone, at);
  const window = era.days[WEEKDAYS.indexOf(weekday)];
  const now = `${hour}:${minute}`;
  return window !== null && window !== undefined && now >= window.start && now < window.end;
}

/** Return the date of an instant: `2026-03-29`. */
export function dateIn(zone: string, at: number): string {
  const { year, month, day } = localTime(zone, at);
  return `${year}-${month}-${day}`;
}
