/**
 * The times at which outreach may write to a lead: working hours, and for first messages the day's 'Send at'. Pure.
 * Instants are ms since 1970 UTC.
 */
import { DAY_MS, dayAt, instantAt, offsetPeriods, periodIndexAt } from '../platform/days.ts';
import { isZone } from '../platform/zones.ts';
import type { Settings } from './facts.ts';
import type { HoursClock, Reason } from './reason.ts';
import { isOpen, nextOpening } from './workingHours.ts';

/** Days within which a time repeats, unless a clock changes: two weeks and two days. */
const SEARCH_MS = 16 * DAY_MS;
/** A clock change can make a time possible that was not. All rules of the present repeat within a year. */
const LAST_CHANGE_MS = 400 * DAY_MS;

/** The zone in which a lead's working hours count: its own where it has one. */
function hoursZone(leadZone: string | null, scheduleZone: string): { zone: string; isOwn: boolean } {
  return leadZone !== null && isZone(leadZone) ? { zone: leadZone, isOwn: true } : { zone: scheduleZone, isOwn: false };
}

/** Compute whether `at` is within a lead's working hours, and the next opening if not (null if there is none). */
export function workingHoursAt(
  leadZone: string | null,
  { hours }: Pick<Settings, 'hours'>,
  at: number,
): { open: boolean; opening: number | null; clock: HoursClock | null } {
  if (!hours) return { open: true, opening: at, clock: null };
  const { zone, isOwn } = hoursZone(leadZone, hours.zone);
  if (isOpen(hours.week, zone, at)) return { open: true, opening: at, clock: null };
  const opening = nextOpening(hours.week, zone, at);
  return { open: false, opening, clock: opening === null ? null : { at: opening, zone, own: isOwn } };
}

/** When a first message may go, and what decides that it is not earlier; `at` null: at no time, for a lasting reason. */
export type FirstTime =
  | { readonly at: number; readonly reason: Reason | null }
  | { readonly at: null; readonly reason: Reason };

/** The instant at which a day's first messages begin: its 'Send at' on the product's clock. */
export function sendAtOn(settings: Settings, at: number): number {
  return instantAt(settings.zone, dayAt(settings.zone, at), settings.firstMessages?.sendAt ?? 0);
}

/**
 * Find the earliest instant not before `from` at which a first message may go to a lead: not before its day's 'Send at'
 * and within working hours. The reason is null if that is `from` itself.
 */
export function firstMessageTime(leadZone: string | null, settings: Settings, from: number): FirstTime {
  let start = from;
  for (;;) {
    const found = firstTimeWithin(leadZone, settings, { from: start, until: start + SEARCH_MS });
    if (found.at !== null) return { at: found.at, reason: found.at === from ? null : found.reason };
    const change = nextChange(settings, leadZone, start);
    if (found.reason.code === 'no_hours' || change > from + LAST_CHANGE_MS) return found;
    start = change;
  }
}

/** Try each day's 'Send at' and the openings after it, up to an instant. */
function firstTimeWithin(
  leadZone: string | null,
  settings: Settings,
  { from, until }: { from: number; until: number },
): FirstTime {
  const { zone, firstMessages } = settings;
  const time = { minutes: firstMessages?.sendAt ?? 0, zone };
  let at = from;
  let reason: Reason | null = null;
  while (at <= until) {
    const sendAt = sendAtOn(settings, at);
    if (sendAt > at) {
      at = sendAt;
      reason = { code: 'send_at', ...time };
    }
    const { open, opening, clock } = workingHoursAt(leadZone, settings, at);
    if (open) return { at, reason };
    if (opening === null) return { at: null, reason: { code: 'no_hours' } };
    at = opening;
    reason = { code: 'hours', ...clock };
  }
  return { at: null, reason: { code: 'send_at_closed', ...time, own: hoursZone(leadZone, zone).isOwn } };
}

/** Return when the clock of the product or of the lead's working hours changes next; infinity if neither does. */
function nextChange({ zone, hours }: Settings, leadZone: string | null, at: number): number {
  const zones = [zone, ...(hours ? [hoursZone(leadZone, hours.zone).zone] : [])];
  return Math.min(
    ...zones.map((one) => {
      const periods = offsetPeriods(one);
      return periods[periodIndexAt(periods, at)]?.to ?? Number.POSITIVE_INFINITY;
    }),
  );
}
