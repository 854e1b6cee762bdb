/**
 * Working hours: when a message may leave. A day is its wall-clock window, also where clocks change: an instant is inside
 * when the local time of the lead's zone is. Instants are milliseconds since 1970 UTC.
 */
import { DAY_MS, offsetPeriods, periodIndexAt } from '../platform/days.ts';
import type { ScheduleConfig } from './contract.ts';

const MINUTE_MS = 60_000;
/** A week and a day: whatever opens at all opens within it, also when a change of clocks swallows one opening. */
const SEARCH_DAYS = 16;

/** A day's window in minutes after midnight, `end` exclusive; null: nobody works. */
type HoursWindow = { readonly start: number; readonly end: number } | null;

/** The seven windows, Monday first. */
export type Week = readonly HoursWindow[];

/** `HH:MM` as minutes after midnight. */
export function parseMinutes(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** The windows of a schedule. */
export function toWeek(config: ScheduleConfig): Week {
  return (['0', '1', '2', '3', '4', '5', '6'] as const).map((key) => {
    const day = config.days[key];
    if (!day.is_working_day) return null;
    const start = parseMinutes(day.time_start);
    const end = parseMinutes(day.time_end);
    return start < end ? { start, end } : null;
  });
}

/** Monday is 0; 1970-01-01 was a Thursday. */
const windowOn = (week: Week, localDay: number): HoursWindow => week[(((localDay + 3) % 7) + 7) % 7] ?? null;

function isInside(week: Week, local: number): boolean {
  const day = Math.floor(local / DAY_MS);
  const minute = Math.floor((local - day * DAY_MS) / MINUTE_MS);
  const window = windowOn(week, day);
  return window !== null && minute >= window.start && minute < window.end;
}

/** Whether `at` lies in working hours of the zone. */
export function isOpen(week: Week, zone: string, at: number): boolean {
  const regimes = offsetPeriods(zone);
  return isInside(week, at + (regimes[periodIndexAt(regimes, at)]?.offset ?? 0));
}

/** The first instant not before `at` that lies in working hours; null: there is none. */
export function nextOpening(week: Week, zone: string, at: number): number | null {
  return nextChange(week, zone, at, true);
}

/** The first instant after an open `at` that lies outside working hours; null: they do not end within two weeks. */
export function nextClosing(week: Week, zone: string, at: number): number | null {
  return nextChange(week, zone, at, false);
}

/**
 * Openings and closings happen at the wall-clock times of the windows, or where clocks are changed: into a window, out of
 * one, or to the same time again.
 */
function nextChange(week: Week, zone: string, at: number, open: boolean): number | null {
  const regimes = offsetPeriods(zone);
  const last = at + SEARCH_DAYS * DAY_MS;
  for (let index = periodIndexAt(regimes, at); index < regimes.length; index++) {
    const regime = regimes[index];
    if (!regime || regime.from > last) return null;
    const from = Math.max(at, regime.from);
    if (isInside(week, from + regime.offset) === open) return from;
    const until = Math.min(last, regime.to);
    for (let day = Math.floor((from + regime.offset) / DAY_MS); ; day++) {
      const midnight = day * DAY_MS - regime.offset;
      if (midnight >= until) break;
      const window = windowOn(week, day);
      if (window === null) continue;
      const edge = midnight + (open ? window.start : window.end) * MINUTE_MS;
      if (edge >= from && edge < until && isInside(week, edge + regime.offset) === open) return edge;
    }
  }
  return null;
}
