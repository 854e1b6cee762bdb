/** Dates in amoCRM's fields. The API gives Unix seconds, which no lead and no model reads as a date. Pure. */
import { Temporal } from 'temporal-polyfill';

const DATE_TYPES: readonly (string | null | undefined)[] = ['date', 'birthday'];
/** The end of the year 9999. A greater number is a time in milliseconds, or none. */
const MAX_SECONDS = 253_402_300_799;

/**
 * Return the value of a field with a time as `YYYY-MM-DD HH:MM` in the zone, that of a date field as `YYYY-MM-DD`: the
 * day that somebody chose, whatever the zone. Values of other types, and those that are no time, are returned as they
 * are.
 */
export function dateOfField(
  value: string | number,
  { type, zone }: { type: string | null | undefined; zone: string },
): string | number {
  const isDay = DATE_TYPES.includes(type);
  if (!isDay && type !== 'date_time') return value;
  const instant = readInstant(value);
  if (instant === null) return value;
  if (isDay) return String(dayOf(instant, zone));
  const time = instant.toZonedDateTimeISO(zone).toPlainDateTime();
  return `${time.toPlainDate().toString()} ${time.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}

function readInstant(value: string | number): Temporal.Instant | null {
  if (typeof value === 'number' || /^-?\d+(?:\.0+)?$/.test(value)) {
    const number = Number(value);
    const milliseconds = Math.abs(number) <= MAX_SECONDS ? number * 1000 : number;
    return Number.isInteger(number) && Math.abs(milliseconds) <= MAX_SECONDS * 1000
      ? Temporal.Instant.fromEpochMilliseconds(milliseconds)
      : null;
  }
  try {
    return Temporal.Instant.from(value);
  } catch {
    return null;
  }
}

const QUARTER_SECONDS = 15 * 60;
/** The most by which a zone with many people is ahead of UTC (New Zealand in summer); the next ones west are 10 hours behind. */
const MAX_HOURS_AHEAD = 13;

/**
 * Return the day of a date field. amoCRM stores the midnight of the account's zone, which is not always the product's and
 * which no card names. It is found from the time in UTC: zones are whole quarters of an hour from it.
 */
function dayOf(instant: Temporal.Instant, zone: string): Temporal.PlainDate {
  const local = instant.toZonedDateTimeISO(zone);
  const utc = instant.toZonedDateTimeISO('UTC');
  const isQuarter = instant.epochMilliseconds % (QUARTER_SECONDS * 1000) === 0;
  const isMidnight = local.toPlainTime().equals(Temporal.PlainTime.from('00:00'));
  if (isMidnight || !isQuarter) return local.toPlainDate();
  return utc.hour >= 24 - MAX_HOURS_AHEAD ? utc.toPlainDate().add({ days: 1 }) : utc.toPlainDate();
}
