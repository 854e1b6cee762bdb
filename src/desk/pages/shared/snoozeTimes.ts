/** The times that a snooze offers, on the clock of a zone. Pure. */
import { addDays, dayOf, instantOfTime, today } from '../../../ui/format.ts';

interface SnoozeTime {
  readonly label: 'For 1 hour' | 'Until this evening' | 'Until tomorrow, 9:00' | 'Until next week';
  /** ISO-8601 */
  readonly until: string;
}

const EVENING = '18:00';
const MORNING = '09:00';

/** @param now milliseconds; @param zone the operator's time zone. The evening is offered until an hour before it. */
export function snoozeTimes(now: number, zone: string): SnoozeTime[] {
  const day = dayOf(new Date(now).toISOString(), zone);
  const evening = instantOfTime(day, EVENING, zone);
  // From Monday 1 to Sunday 7.
  const weekday = new Date(`${day}T12:00:00.000Z`).getUTCDay() || 7;
  return [
    { label: 'For 1 hour', until: new Date(now + 3_600_000).toISOString() },
    ...(Date.parse(evening) - now > 3_600_000 ? [{ label: 'Until this evening' as const, until: evening }] : []),
    { label: 'Until tomorrow, 9:00', until: instantOfTime(addDays(day, 1), MORNING, zone) },
    { label: 'Until next week', until: instantOfTime(addDays(day, 8 - weekday), MORNING, zone) },
  ];
}

/** Return a local time for an input of the browser, `YYYY-MM-DDTHH:mm`: tomorrow morning. */
export const customStart = (zone: string): string => `${addDays(today(zone), 1)}T${MORNING}`;

/** Convert the value of that input to an instant; null if it is none. */
export function customInstant(value: string, zone: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(value);
  const [, day, time] = match ?? [];
  return day === undefined || time === undefined ? null : instantOfTime(day, time, zone);
}
