/**
 * Working hours against an oracle that knows nothing of how they are computed: it walks minute by minute and asks the
 * platform for the local time of each.
 */
import { describe, expect, it } from 'vitest';
import type { ScheduleConfig } from './contract.ts';
import { isOpen, nextClosing, nextOpening, weekOf } from './window.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const on = (time_start: string, time_end: string) => ({ is_working_day: true, time_start, time_end });
const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };

/** Changes of clocks fall into these: on Saturdays and Sundays mostly, between midnight and four. */
const SCHEDULE: ScheduleConfig = {
  days: {
    '0': on('09:00', '18:00'),
    '1': on('00:00', '23:59'),
    '2': OFF,
    '3': on('13:37', '13:38'),
    '4': on('00:30', '03:30'),
    '5': on('01:30', '02:30'),
    '6': on('02:15', '02:45'),
  },
};
const WEEK = weekOf(SCHEDULE);

/** The platform's own word for the local time of every minute from `from`, to be read one by one. */
function oracle(zone: string, from: number, minutes: number): boolean[] {
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  return Array.from({ length: minutes }, (_none, index) => {
    const parts = Object.fromEntries(local.formatToParts(from + index * MINUTE).map((part) => [part.type, part.value]));
    const key = String(names.indexOf(parts.weekday ?? '')) as keyof ScheduleConfig['days'];
    const day = SCHEDULE.days[key];
    const time = `${parts.hour}:${parts.minute}`;
    return day.is_working_day && time >= day.time_start && time < day.time_end;
  });
}

/** Compares every minute of a span: inside or not, and where the next opening and closing lie. Gives what differs. */
export function mismatches(zone: string, from: number, days: number): string[] {
  const length = (days * DAY) / MINUTE;
  const inside = oracle(zone, from, length);
  const wrong: string[] = [];
  let opening: number | null = null;
  let closing: number | null = null;
  for (let index = length - 1; index >= 0; index--) {
    const at = from + index * MINUTE;
    if (inside[index]) opening = at;
    else closing = at;
    const said = {
      open: isOpen(WEEK, zone, at),
      opening: nextOpening(WEEK, zone, at),
      closing: nextClosing(WEEK, zone, at),
    };
    // Beyond the end of the span the oracle cannot say.
    if (
      said.open !== inside[index] ||
      (opening !== null && said.opening !== opening) ||
      (closing !== null && said.closing !== closing)
    )
      wrong.push(`${zone} ${new Date(at).toISOString()}: ${JSON.stringify(said)}`);
  }
  return wrong;
}

/** Instants at which the zone's clocks change between two years, by the platform's own calendar. */
export function changesOf(zone: string, fromYear: number, toYear: number): number[] {
  const changes: number[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(fromYear, 0, 1)).toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= Date.UTC(toYear + 1, 0, 1)) return changes;
    changes.push(next.epochMilliseconds);
    at = next;
  }
}

/** Zones whose rules differ from each other: half an hour of summer time, changes at midnight, none at all. */
const KINDS = [
  'Europe/Moscow',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'America/St_Johns',
  'Africa/Casablanca',
  'Asia/Beirut',
  'America/Havana',
];

describe('working hours', () => {
  it.each(KINDS)(
    'in %s agree with a minute by minute search around each change of clocks of 2026 and in a week',
    (zone) => {
      const spans = changesOf(zone, 2026, 2026).map((change) => Math.floor(change / DAY) * DAY - DAY);
      for (const from of spans) expect(mismatches(zone, from, 4)).toEqual([]);
      expect(mismatches(zone, Date.UTC(2026, 5, 3), 8)).toEqual([]);
    },
  );

  it('that never come are said to be none', () => {
    const days = { '0': OFF, '1': OFF, '2': OFF, '3': OFF, '4': OFF, '5': OFF, '6': OFF };
    expect(nextOpening(weekOf({ days }), 'UTC', 0)).toBeNull();
  });

  it('that a change of clocks swallows are found in the week after', () => {
    // Sunday 2026-03-29, 02:00 in Berlin is 03:00: the half hour from 02:15 does not happen.
    const days = { '0': OFF, '1': OFF, '2': OFF, '3': OFF, '4': OFF, '5': OFF, '6': on('02:15', '02:45') };
    const opening = nextOpening(weekOf({ days }), 'Europe/Berlin', Date.UTC(2026, 2, 28));
    expect(new Date(opening ?? 0).toISOString()).toBe('2026-04-05T00:15:00.000Z');
  });

  it('do not end where every minute is one', () => {
    expect(
      nextClosing(
        [0, 1, 2, 3, 4, 5, 6].map(() => ({ start: 0, end: 1440 })),
        'UTC',
        0,
      ),
    ).toBeNull();
  });
});
