/** Format dates, times and numbers for display with `Intl`. Times are ISO-8601 instants. */
import { now } from './clock.ts';
import { language, t } from './i18n.ts';

/** Up to here a future time is now: clocks of browser and server differ. */
const NOW_SECONDS = 2;
const formatters = new Map<string, Intl.DateTimeFormat>();
/** Swedes write a day as the ISO does. */
const ISO_DAY_LOCALE = 'sv-SE';

/** Return the browser's time zone as an IANA name. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Format a date: `20 Nov 2026`. The current year is left out. */
export function formatDate(iso: string, zone?: string): string {
  const sameYear = yearOf(Date.parse(iso), zone) === yearOf(now(), zone);
  return formatInstant(iso, zone, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** Format a time: `14:05`. */
export function formatTime(iso: string, zone?: string): string {
  return formatInstant(iso, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** Format date and time: `Today, 14:05`, `Yesterday, 14:05`, else `20 Nov 2026, 14:05`. */
export function formatDateTime(iso: string, zone?: string): string {
  return `${todayOrYesterday(dayOf(iso, zone), zone) ?? formatDate(iso, zone)}, ${formatTime(iso, zone)}`;
}

/** Format date and time inside a sentence: `today, 14:05`, `yesterday, 14:05`, else `20 Nov 2026, 14:05`. */
export function dateTimeInSentence(iso: string, zone?: string): string {
  return `${nearDay(dayOf(iso, zone), zone) ?? formatDate(iso, zone)}, ${formatTime(iso, zone)}`;
}

/** Format the exact time for tooltips: `Friday, 20 November 2026, 14:05:09 GMT+3`. */
export function formatExact(iso: string, zone?: string): string {
  return formatInstant(iso, zone, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
}

/**
 * Format a relative time: `just now`, `in a moment`, `5 min. ago`, `in 2 hr.`; the date beyond a week. `at` is in milliseconds and
 * defaults to now.
 */
export function formatRelative(iso: string, at: number = now()): string {
  const seconds = Math.round((Date.parse(iso) - at) / 1000);
  const size = Math.abs(seconds);
  if (size < 45) return seconds > NOW_SECONDS ? t('in a moment') : t('just now');
  if (size >= 7 * 86_400) return formatDate(iso);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: 'auto', style: 'short' });
  if (size < 45 * 60) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 22 * 3600) return relative.format(Math.round(seconds / 3600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

/** Return the calendar day of an instant in a zone, for grouping by day: `2026-11-20`. */
export function dayOf(iso: string, zone?: string): string {
  return formatterOf(zone, { dateStyle: 'short' }, ISO_DAY_LOCALE).format(Date.parse(iso));
}

/** Format the day of an instant: `Today`, `Yesterday`, else `Friday, 20 November`. */
export function formatDay(iso: string, zone?: string): string {
  return formatCalendarDay(dayOf(iso, zone), zone);
}

/** Format a calendar day (`2026-11-20`) of a zone like `formatDay`. */
export function formatCalendarDay(day: string, zone?: string): string {
  const sameYear = day.slice(0, 4) === today(zone).slice(0, 4);
  const year = sameYear ? {} : { year: 'numeric' as const };
  return (
    todayOrYesterday(day, zone) ??
    formatInstant(noonOf(day), 'UTC', { weekday: 'long', day: 'numeric', month: 'long', ...year })
  );
}

/** Format a calendar day of a zone: `Today`, `Yesterday`, else `20 Nov`, with the year unless it is the current one. */
export function formatShortDay(day: string, zone?: string): string {
  return todayOrYesterday(day, zone) ?? formatDate(noonOf(day), 'UTC');
}

/** Format a calendar day like `formatShortDay` inside a sentence: `today`, `yesterday`, else `20 Nov`. */
export function shortDayInSentence(day: string, zone?: string): string {
  return nearDay(day, zone) ?? formatDate(noonOf(day), 'UTC');
}

/** Return the current calendar day in a zone: `2026-11-20`. */
export function today(zone?: string): string {
  return dayOf(new Date(now()).toISOString(), zone);
}

/** Return the instant at which clocks in a zone show `time` (`14:05`) on a day. Uses the zone's UTC offset at noon. */
export function instantOfTime(day: string, time: string, zone: string): string {
  const noon = Date.parse(noonOf(day));
  const localNoon = Date.parse(`${dayOf(noonOf(day), zone)}T${formatTime(noonOf(day), zone)}:00.000Z`);
  return new Date(Date.parse(`${day}T${time}:00.000Z`) - (localNoon - noon)).toISOString();
}

/** Return the calendar day `days` after the given one. Negative values go back. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(noonOf(day)) + days * 86_400_000).toISOString().slice(0, 10);
}

const noonOf = (day: string): string => `${day}T12:00:00.000Z`;

function todayOrYesterday(day: string, zone: string | undefined): string | null {
  const near = nearDay(day, zone);
  return near === null ? null : near.charAt(0).toUpperCase() + near.slice(1);
}

function nearDay(day: string, zone: string | undefined): string | null {
  const now = today(zone);
  if (day === now) return t('today');
  return day === addDays(now, -1) ? t('yesterday') : null;
}

/** Format a number: `1,234`. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language()).format(value);
}

/** Format a count where there is little room: `1.2K` from a thousand up. */
export function formatCount(value: number): string {
  return new Intl.NumberFormat(language(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Format dollars: `$1,234.50`. Amounts below a cent get five decimals: `$0.00012`. */
export function formatDollars(value: number): string {
  if (value > 0 && value < MIN_SHOWN_AMOUNT) return `<$${MIN_SHOWN_AMOUNT.toFixed(SMALL_AMOUNT_DIGITS)}`;
  const digits = value > 0 && value < 0.01 ? SMALL_AMOUNT_DIGITS : 2;
  return `$${new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)}`;
}

const SMALL_AMOUNT_DIGITS = 5;
const MIN_SHOWN_AMOUNT = 0.00001;

/** Format the remaining seconds of a countdown: `4:05`, `2:04:05`, `3 d 2:04:05`. Never negative. */
export function formatCountdown(seconds: number): string {
  const remaining = Math.max(0, Math.round(seconds));
  const days = Math.floor(remaining / 86_400);
  const hours = Math.floor((remaining % 86_400) / 3600);
  const minutes = Math.floor((remaining % 3600) / 60);
  const pad = (part: number) => String(part).padStart(2, '0');
  const clock =
    hours > 0 || days > 0 ? `${hours}:${pad(minutes)}:${pad(remaining % 60)}` : `${minutes}:${pad(remaining % 60)}`;
  return days > 0 ? t('{{days}} d {{clock}}', { days, clock }) : clock;
}

/** Return the short name of a zone at an instant: `GMT+3`. */
export function formatZone(zone: string, iso: string = new Date(now()).toISOString()): string {
  const parts = formatterOf(zone, { timeZoneName: 'shortOffset' }).formatToParts(Date.parse(iso));
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone;
}

function formatInstant(iso: string, zone: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : formatterOf(zone, options).format(at);
}

/** Return a cached formatter. Creating one costs fifty times as much as using it, and lists use it on every row. */
function formatterOf(
  zone: string | undefined,
  options: Intl.DateTimeFormatOptions,
  locale: string = operatorLocale(),
): Intl.DateTimeFormat {
  const key = `${locale} ${zone ?? ''} ${JSON.stringify(options)}`;
  const cached = formatters.get(key);
  if (cached) return cached;
  const formatter = createFormatter(locale, zone, options);
  formatters.set(key, formatter);
  return formatter;
}

/** British English puts the day before the month, and its dates cannot be misread. */
const operatorLocale = (): string => (language() === 'en' ? 'en-GB' : language());

/** A zone unknown to this browser falls back to the operator's own. */
function createFormatter(
  locale: string,
  zone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  if (zone === undefined) return new Intl.DateTimeFormat(locale, options);
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale, options);
  }
}

function yearOf(at: number, zone: string | undefined): number {
  return Number(formatterOf(zone, { year: 'numeric' }).format(at));
}
