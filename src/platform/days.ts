/**
 * Calendar days of a time zone. A day begins at the first instant whose clock shows its midnight or later, and ends
 * where the next one begins: it has 23 or 25 hours where clocks change, and every instant lies in exactly one day. Days
 * are numbered from 1970-01-01; instants are milliseconds since 1970 UTC.
 */
import { Temporal } from 'temporal-polyfill';

export const DAY_MS = 86_400_000;

/** A period during which a zone keeps one offset from UTC, in milliseconds. */
export interface OffsetPeriod {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Offset periods from `Temporal`, cached as plain numbers: a simulation reads them half a million times. */
const periodsByZone = new Map<string, OffsetPeriod[]>();

/** Transitions are looked up between these instants. */
const FIRST = Date.UTC(2000, 0, 1);
const LAST = Date.UTC(2100, 0, 1);
/** The largest possible change of a clock. */
const LARGEST_CHANGE_MS = 2 * DAY_MS;

/** Return the offset periods of a zone, in order and without gaps. */
export function offsetPeriods(zone: string): readonly OffsetPeriod[] {
  const cached = periodsByZone.get(zone);
  if (cached) return cached;
  const periods: OffsetPeriod[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(FIRST).toZonedDateTimeISO(zone);
  let from = Number.NEGATIVE_INFINITY;
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    const to = next === null || next.epochMilliseconds >= LAST ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
    periods.push({ from, to, offset: Math.round(at.offsetNanoseconds / 1e6) });
    if (next === null || to === Number.POSITIVE_INFINITY) break;
    from = to;
    at = next;
  }
  periodsByZone.set(zone, periods);
  return periods;
}

/** Return the index of the period that contains `at`. */
export function periodIndexAt(periods: readonly OffsetPeriod[], at: number): number {
  let low = 0;
  let high = periods.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at >= (periods[middle]?.to ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return the first instant at which the clock of a zone shows a time of a day or a later one. A time that a clock
 * change skips maps to the instant of the change; a time that occurs twice maps to the first.
 *
 * @param minutes since midnight
 */
export function instantAt(zone: string, day: number, minutes = 0): number {
  const local = day * DAY_MS + minutes * 60_000;
  const periods = offsetPeriods(zone);
  for (let index = periodIndexAt(periods, local - LARGEST_CHANGE_MS); ; index++) {
    const period = periods[index];
    if (!period) return local;
    const at = Math.max(period.from, local - period.offset);
    if (at < period.to) return at;
  }
}

/** Find the first instant not before `at` that is a day's instant of a time, minutes after midnight in the zone. */
export function nextInstantAt(zone: string, minutes: number, at: number): number {
  for (let day = dayAt(zone, at); ; day++) {
    const instant = instantAt(zone, day, minutes);
    if (instant >= at) return instant;
  }
}

/** Convert `HH:MM` to minutes after midnight. */
export function parseMinutes(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Return the day of a zone that contains an instant. */
export function dayAt(zone: string, at: number): number {
  const periods = offsetPeriods(zone);
  let day = Math.floor((at + (periods[periodIndexAt(periods, at)]?.offset ?? 0)) / DAY_MS);
  // Clocks set back across midnight show the previous day once more.
  while (instantAt(zone, day + 1) <= at) day++;
  return day;
}

/** Format a day as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Parse `YYYY-MM-DD` into a day. */
export function parseDay(text: string): number {
  return Math.floor(Date.parse(`${text}T00:00:00.000Z`) / DAY_MS);
}
