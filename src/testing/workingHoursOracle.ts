/**
 * An oracle for working hours, independent of their implementation: it walks minute by minute and asks the platform's
 * formatter for each local time.
 */
import { Temporal } from 'temporal-polyfill';
import type { ScheduleConfig } from '../outreach/contract.ts';
import { isOpen, nextOpening, toWeek } from '../outreach/workingHours.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const workingDay = (time_start: string, time_end: string) => ({ is_working_day: true, time_start, time_end });
const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const everyDay = (day: ReturnType<typeof workingDay>) => ({
  '0': day,
  '1': day,
  '2': day,
  '3': day,
  '4': day,
  '5': day,
  '6': day,
});

/**
 * Clocks change mostly on Saturdays and Sundays between midnight and four, so these windows lie across, within and
 * beside that time.
 */
const SCHEDULES: readonly ScheduleConfig[] = [
  {
    days: {
      '0': workingDay('09:00', '18:00'),
      '1': workingDay('00:00', '23:59'),
      '2': OFF,
      '3': workingDay('13:37', '13:38'),
      '4': workingDay('00:30', '03:30'),
      '5': workingDay('01:30', '02:30'),
      '6': workingDay('02:15', '02:45'),
    },
  },
  { days: everyDay(workingDay('00:00', '23:59')) },
  { days: everyDay(workingDay('02:00', '03:00')) },
  { days: { ...everyDay(workingDay('09:00', '18:00')), '5': OFF, '6': OFF } },
];

/** Return the minutes since local Monday midnight for each minute of a span. */
function localMinutes(zone: string, from: number, minutes: number): Int16Array {
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const found = new Int16Array(minutes);
  for (let index = 0; index < minutes; index++) {
    const [weekday = '', hour = '', minute = ''] = local.format(from + index * MINUTE).split(/[ ,:]+/);
    found[index] = (WEEKDAYS.indexOf(weekday) * 24 + Number(hour)) * 60 + Number(minute);
  }
  return found;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Return for each minute of the week whether it lies in the schedule's hours, by comparing times as text. */
function minutesInside({ days }: ScheduleConfig): boolean[] {
  return Array.from({ length: 7 * 1440 }, (_none, index) => {
    const key = String(Math.floor(index / 1440)) as keyof ScheduleConfig['days'];
    const two = (value: number) => String(value).padStart(2, '0');
    const time = `${two(Math.floor((index % 1440) / 60))}:${two(index % 60)}`;
    const day = days[key];
    return day.is_working_day && time >= day.time_start && time < day.time_end;
  });
}

/** Compare every minute of a span: open or closed, next opening. Returns the mismatches. */
export function findMismatches(zone: string, from: number, days: number): string[] {
  const local = localMinutes(zone, from, (days * DAY) / MINUTE);
  return SCHEDULES.flatMap((schedule) => differences(zone, from, local, schedule));
}

function differences(zone: string, from: number, local: Int16Array, schedule: ScheduleConfig): string[] {
  const week = toWeek(schedule);
  const hours = minutesInside(schedule);
  const wrong: string[] = [];
  let opening: number | null = null;
  for (let index = local.length - 1; index >= 0; index--) {
    const at = from + index * MINUTE;
    const inside = hours[local[index] ?? -1];
    if (inside) opening = at;
    const open = isOpen(week, zone, at);
    // The oracle cannot answer beyond the end of the span.
    if (open !== inside || (opening !== null && nextOpening(week, zone, at) !== opening))
      wrong.push(
        `${zone} ${new Date(at).toISOString()}: open ${open}, opening ${nextOpening(week, zone, at)}; ` +
          `the oracle says ${inside}, ${opening}`,
      );
  }
  return wrong;
}

/** Return the instants at which the zone's clocks change between two years, from the platform's calendar. */
export function clockChangesOf(zone: string, fromYear: number, toYear: number): number[] {
  const changes: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(fromYear, 0, 1)).toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= Date.UTC(toYear + 1, 0, 1)) return changes;
    changes.push(next.epochMilliseconds);
    at = next;
  }
}

/** Return days beginning at midnight UTC that reach two days to either side of an instant. */
export function daysAround(instant: number): { from: number; days: number } {
  return { from: Math.floor(instant / DAY) * DAY - 2 * DAY, days: 5 };
}
