/**
 * The quota day of a product: the span over which its first messages are counted. Instants are milliseconds since 1970
 * UTC.
 */
import { dayAt, instantAt } from '../platform/days.ts';

export interface Span {
  readonly from: number;
  /** Exclusive end. */
  readonly until: number;
}

/** What determines the quota day of an instant. */
export interface QuotaClock {
  /** IANA name of the time zone. */
  readonly zone: string;
  /** Set after a change of the zone: until it is over, it counts as one day. */
  readonly longDay: Span | null;
}

/**
 * Return the span over which first messages are counted at `at`: the calendar day of the product's zone, or its long
 * day.
 */
export function quotaDay({ zone, longDay }: QuotaClock, at: number): Span {
  if (longDay && at < longDay.until) return longDay;
  const day = dayAt(zone, at);
  return { from: instantAt(zone, day), until: instantAt(zone, day + 1) };
}

/**
 * Compute the long day that a change of the zone at `at` creates: from the start of the earlier of the two days to the
 * first midnight of the new zone at which both are over. A limit then holds on the old zone's day and on the new one's.
 */
export function longDayAfter(before: QuotaClock, zone: string, at: number): Span | null {
  if (zone === before.zone) return before.longDay;
  const old = quotaDay(before, at);
  const day = dayAt(zone, at);
  let next = day + 1;
  while (instantAt(zone, next) < old.until) next++;
  return { from: Math.min(old.from, instantAt(zone, day)), until: instantAt(zone, next) };
}
