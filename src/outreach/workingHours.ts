/**
 * Working hours: when a message may be sent. A day is its wall-clock window, even on days with a clock change: an
 * instant is inside when the local time in the lead's zone is. Instants are milliseconds since 1970 UTC.
 */
import { DAY_MS, offsetPeriods, parseMinutes, periodIndexAt } from '../platform/days.ts';
import type { ScheduleConfig } from './contract.ts';

const MINUTE_MS = 60_000;
/** Days to search: two weeks and two days. Any opening lies within that time, even if a clock change skips one. */
const SEARCH_DAYS = 16;

/** Window of a day in minutes after midnight, `end` exclusive; null if the day is off. */
type HoursWindow = { readonly start: number; readonly end: number } | null;

/** The seven windows, Monday first. */
export type Week = readonly HoursWindow[];

/** Convert the days of a schedule to windows. */
export function toWeek(config: ScheduleConfig): Week {
  return (['0', '1', '2', '3', '4', '5', '6'] as const).map((key) => {
    const day = config.days[key];
    if (!day.is_working_day) return null;
    const start = parseMinutes(day.time_start);
    const end = parseMinutes(day.time_end);
    return start < end ? { start, end } : null;
  });
}

/** Return the window of a local day. Index 0 is Monday; 1970-01-01 was a Thursday. */
const windowOn = (week: Week, localDay: number): HoursWindow => week[(((localDay + 3) % 7) + 7) % 7] ?? null;

function isInside(week: Week, local: number): boolean {
  const day = Math.floor(local / DAY_MS);
  const minute = Math.floor((local - day * DAY_MS) / MINUTE_MS);
  const window = windowOn(week, day);
  return window !== null && minute >= window.start && minute < window.end;
}

/** Check whether `at` is within working hours of the zone. */
export function isOpen(week: Week, zone: string, at: number): boolean {
  const regimes = offsetPeriods(zone);
  return isInside(week, at + (regimes[periodIndexAt(regimes, at)]?.offset ?? 0));
}

/**
 * Find the first instant not before `at` that is within working hours; null if there is none within the search period. It
 * is at the start of a window on the wall clock, or at a clock change, which can lead into a window or to the same time
 * again.
 */
export function nextOpening(week: Week, zone: string, at: number): number | null {
  const regimes = offsetPeriods(zone);
  const last = at + SEARCH_DAYS * DAY_MS;
  for (let index = periodIndexAt(regimes, at); index < regimes.length; index++) {
    const regime = regimes[index];
    if (!regime || regime.from > last) return null;
    const from = Math.max(at, regime.from);
    if (isInside(week, from + regime.offset)) return from;
    const until = Math.min(last, regime.to);
    for (let day = Math.floor((from + regime.offset) / DAY_MS); ; day++) {
      const midnight = day * DAY_MS - regime.offset;
      if (midnight >= until) break;
      const window = windowOn(week, day);
      if (window === null) continue;
      const start = midnight + window.start * MINUTE_MS;
      if (start >= from && start < until && isInside(week, start + regime.offset)) return start;
    }
  }
  return null;
}
