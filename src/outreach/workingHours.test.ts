/** Working hours against an oracle that walks minute by minute. */
import { describe, expect, it } from 'vitest';
import { clockChangesOf, daysAround, findMismatches } from '../testing/workingHoursOracle.ts';
import { nextOpening, toWeek } from './workingHours.ts';

const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };

/** Zones with different rules: half an hour of summer time, changes at midnight, none at all. */
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
  it.each(KINDS)('agree in %s with a minute-by-minute search around each clock change of 2026', (zone) => {
    for (const change of clockChangesOf(zone, 2026, 2026)) {
      const { from, days } = daysAround(change);
      expect(findMismatches(zone, from, days)).toEqual([]);
    }
    expect(findMismatches(zone, Date.UTC(2026, 5, 3), 8)).toEqual([]);
  });

  it('are reported as none when they never come', () => {
    const days = { '0': OFF, '1': OFF, '2': OFF, '3': OFF, '4': OFF, '5': OFF, '6': OFF };
    expect(nextOpening(toWeek({ days }), 'UTC', 0)).toBeNull();
  });

  it('swallowed by a clock change are found a week later', () => {
    // Sunday 2026-03-29, 02:00 in Berlin is 03:00: the half hour from 02:15 does not exist.
    const days = {
      '0': OFF,
      '1': OFF,
      '2': OFF,
      '3': OFF,
      '4': OFF,
      '5': OFF,
      '6': { is_working_day: true, time_start: '02:15', time_end: '02:45' },
    };
    const opening = nextOpening(toWeek({ days }), 'Europe/Berlin', Date.UTC(2026, 2, 28));
    expect(new Date(opening ?? 0).toISOString()).toBe('2026-04-05T00:15:00.000Z');
  });
});
