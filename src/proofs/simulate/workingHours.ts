/** Working hours and days of a simulated product, by the platform's own calendar. */
import type { Era } from './product.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** Clocks change at a quarter of an hour, so one reading of the calendar serves the minutes up to the next. */
const QUARTER_MS = 15 * 60_000;

interface LocalTime {
  readonly weekday: number;
  readonly date: string;
  /** Minutes after midnight. */
  readonly minute: number;
}

const quarters = new Map<string, Map<number, LocalTime>>();

/** Return an instant's local time. */
function localTime(zone: string, at: number): LocalTime {
  const ofZone = quarters.get(zone) ?? new Map<number, LocalTime>();
  quarters.set(zone, ofZone);
  const quarter = Math.floor(at / QUARTER_MS);
  const time = ofZone.get(quarter) ?? readCalendar(zone, quarter * QUARTER_MS);
  ofZone.set(quarter, time);
  return { ...time, minute: time.minute + Math.floor((at - quarter * QUARTER_MS) / 60_000) };
}

function readCalendar(zone: string, at: number): LocalTime {
  const two = '2-digit';
  const style = { weekday: 'short', year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...style, hourCycle: 'h23' });
  formats.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { weekday = '', year, month, day, hour, minute } = parts;
  return {
    weekday: WEEKDAYS.indexOf(weekday),
    date: `${year}-${month}-${day}`,
    minute: Number(hour) * 60 + Number(minute),
  };
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Return whether an instant is working time. */
export function isWorkingTime(era: Era, zone: string, at: number): boolean {
  const { weekday, minute } = localTime(zone, at);
  const window = era.days[weekday];
  return Boolean(window && minute >= minutesOf(window.start) && minute < minutesOf(window.end));
}

/** Return whether an instant is at or after a time of its day on a clock. */
export const isAtOrAfter = (zone: string, time: string, at: number): boolean =>
  localTime(zone, at).minute >= minutesOf(time);

/** Return the date of an instant: `2026-03-29`. */
export const dateIn = (zone: string, at: number): string => localTime(zone, at).date;
