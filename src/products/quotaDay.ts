/** The day over which a product's first messages are counted. Instants are milliseconds since 1970 UTC. */
import { dayAt, instantAt } from '../platform/days.ts';

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** What says which day an instant belongs to. */
export interface QuotaClock {
  /** IANA name. */
  readonly zone: string;
  /** Set where the zone was changed: until it is over it counts as one day. */
  readonly longDay: Span | null;
}

/** The span over which first messages are counted at `at`: the calendar day of the product's zone, or its long day. */
export function quotaDay({ zone, longDay }: QuotaClock, at: number): Span {
  if (longDay && at < longDay.until) return longDay;
  const day = dayAt(zone, at);
  return { from: instantAt(zone, day), until: instantAt(zone, day + 1) };
}

/**
 * The long day that a change of the zone at `at` makes: from the beginning of the earlier of the two days to the first
 * midnight of the new zone at which both are over. So a limit is kept on the old zone's day and on the new one's.
 */
export function longDayAfter(before: QuotaClock, zone: string, at: number): Span | null {
  if (zone === before.zone) return before.longDay;
  const old = quotaDay(before, at);
  const day = dayAt(zone, at);
  let next = day + 1;
  while (instantAt(zone, next) < old.until) next++;
  return { from: Math.min(old.from, instantAt(zone, day)), until: instantAt(zone, next) };
}
