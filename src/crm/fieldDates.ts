/** Dates in amoCRM's fields. The API gives Unix seconds, which no lead and no model reads as a date. Pure. */
import { Temporal } from 'temporal-polyfill';

const DATE_TYPES: readonly (string | null | undefined)[] = ['date', 'birthday'];
/** The largest distance from 1970 that dates can be computed for, in seconds. */
const MAX_SECONDS = 8.64e12;

/**
 * Return the value of a date field as `YYYY-MM-DD`, that of a field with a time as `YYYY-MM-DD HH:MM`, both in the zone.
 * Values of other types, and those that are no time, are returned as they are.
 */
export function dateOfField(
  value: string | number,
  { type, zone }: { type: string | null | undefined; zone: string },
): string | number {
  const isDay = DATE_TYPES.includes(type);
  if (!isDay && type !== 'date_time') return value;
  const instant = readInstant(value);
  if (instant === null) return value;
  const time = instant.toZonedDateTimeISO(zone).toPlainDateTime();
  if (!isDay) return `${time.toPlainDate().toString()} ${time.toPlainTime().toString({ smallestUnit: 'minute' })}`;
  return String((isMidnightFurtherEast(time, zone) ? time.add({ days: 1 }) : time).toPlainDate());
}

function readInstant(value: string | number): Temporal.Instant | null {
  if (typeof value === 'number' || /^-?\d+$/.test(value)) {
    const seconds = Number(value);
    return Number.isInteger(seconds) && Math.abs(seconds) <= MAX_SECONDS
      ? Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
      : null;
  }
  try {
    return Temporal.Instant.from(value);
  } catch {
    return null;
  }
}

/**
 * A day is stored as its midnight in the account's zone. A product whose zone nobody chose has UTC: there, an evening is
 * the next day's midnight further east.
 */
function isMidnightFurtherEast(time: Temporal.PlainDateTime, zone: string): boolean {
  return zone === 'UTC' && time.hour >= 12 && time.minute % 15 === 0 && time.second === 0 && time.millisecond === 0;
}
