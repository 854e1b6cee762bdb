/** Working hours in words, on any clock. Pure, except for the time zones that the browser knows. */
import { language, t } from '../../ui/i18n.ts';
import { DAY_KEYS, dayFaults, type ScheduleDays } from '../schedule.ts';

const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** Consecutive working days with the same hours. */
interface Span {
  /** Days of the week; 0 is Monday. */
  readonly days: readonly number[];
  /** Minutes since midnight of each of these days; `end` may be after the next midnight. */
  readonly start: number;
  readonly end: number;
}

/**
 * Convert the week's hours to a clock that is `ahead` minutes ahead of the schedule's. Days with faults are omitted.
 */
export function toSpans(days: ScheduleDays, ahead = 0): Span[] {
  const spans: { days: number[]; start: number; end: number }[] = [];
  for (const { day, start, end } of workingWindows(days)) {
    const from = wrapMinute(day * DAY_MINUTES + start + ahead);
    const localDay = Math.floor(from / DAY_MINUTES);
    const startMinute = from % DAY_MINUTES;
    const endMinute = startMinute + end - start;
    const last = spans.at(-1);
    const isSameHours =
      last && last.start === startMinute && last.end === endMinute && ((last.days.at(-1) ?? 0) + 1) % 7 === localDay;
    if (isSameHours) last.days.push(localDay);
    else spans.push({ days: [localDay], start: startMinute, end: endMinute });
  }
  return spans;
}

/** Format a span: `Monday to Friday, 09:00–18:00`. */
export function describeSpan({ days, start, end }: Span): string {
  const values = { days: daysInWords(days), start: formatClock(start), end: formatClock(end) };
  return end > DAY_MINUTES
    ? t('{{days}}, {{start}}–{{end}} of the next day', values)
    : t('{{days}}, {{start}}–{{end}}', values);
}

/**
 * Whether messages are sent at a moment of the week, and the minute of the week at which that changes; null if never.
 */
export interface Opening {
  readonly open: boolean;
  readonly minute: number | null;
}

/** Check whether messages are sent at `minute` of the week, counted on the schedule's clock from Monday's midnight. */
export function openingAt(days: ScheduleDays, minute: number): Opening {
  const windows = workingWindows(days).map(({ day, start, end }) => ({
    from: day * DAY_MINUTES + start,
    to: day * DAY_MINUTES + end,
  }));
  const present = windows.find(({ from, to }) => from <= minute && minute < to);
  if (present) return { open: true, minute: present.to };
  const next = windows.find(({ from }) => from > minute) ?? windows[0];
  return { open: false, minute: next?.from ?? null };
}

/** Name a weekday in the operator's language: `Monday`. */
export function weekdayName(day: number): string {
  // 5 January 1970 was a Monday.
  const monday = Date.UTC(1970, 0, 5 + day);
  return new Intl.DateTimeFormat(language(), { weekday: 'long', timeZone: 'UTC' }).format(monday);
}

/** Compute how many minutes a zone is ahead of UTC at an instant. */
export function utcOffsetMinutes(zone: string, at: number): number {
  const wall = wallClockMs(zone, at);
  return Math.round((wall - Math.floor(at / 60_000) * 60_000) / 60_000);
}

/** Compute the minute of the week, from Monday's midnight, that clocks in `zone` show. */
export function minuteOfWeek(zone: string, at: number): number {
  const minutes = Math.floor(wallClockMs(zone, at) / 60_000);
  // 1 January 1970 was a Thursday.
  return wrapMinute(minutes + 3 * DAY_MINUTES);
}

/**
 * Check whether a time of the day, minutes on a clock that is `ahead` minutes ahead of the schedule's, is after working
 * hours on every day: then no first message ever leaves. Not without working hours.
 */
export function isAfterHours(days: ScheduleDays, minutes: number, ahead: number): boolean {
  const windows = workingWindows(days);
  const lasts = windows.map(({ start, end }) => ({ first: start + ahead, last: end - 1 + ahead }));
  const dayOf = (minute: number) => Math.floor(minute / DAY_MINUTES);
  return (
    lasts.length > 0 &&
    lasts.every(({ first, last }) => dayOf(first) === dayOf(last) && wrapMinute(last) % DAY_MINUTES < minutes)
  );
}

function workingWindows(days: ScheduleDays): { day: number; start: number; end: number }[] {
  const faulty = new Set(dayFaults(days).map(({ key }) => key));
  return DAY_KEYS.flatMap((key, day) => {
    const { is_working_day: works, time_start, time_end } = days[key];
    return works && !faulty.has(key) ? [{ day, start: parseMinutes(time_start), end: parseMinutes(time_end) }] : [];
  });
}

function daysInWords(days: readonly number[]): string {
  const [first = 0] = days;
  const last = days.at(-1) ?? first;
  if (days.length === 1) return weekdayName(first);
  if (days.length === 7) return t('Every day');
  const values = { first: weekdayName(first), last: weekdayName(last) };
  return days.length === 2 ? t('{{first}} and {{last}}', values) : t('{{first}} to {{last}}', values);
}

/** Convert `HH:MM` to minutes since midnight. */
export function parseMinutes(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** Format a minute of the day or week as `HH:MM`. */
export function formatClock(minute: number): string {
  const minuteOfDay = wrapMinute(minute) % DAY_MINUTES;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;
}

/** Return the day of a minute of the week; 0 is Monday. */
export const dayOfMinute = (minute: number): number => Math.floor(wrapMinute(minute) / DAY_MINUTES);

const wrapMinute = (minute: number): number => ((minute % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;

/** Return what clocks in `zone` show at an instant, as if it were UTC, in milliseconds rounded to whole minutes. */
function wallClockMs(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}
