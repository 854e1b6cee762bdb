/** Calendar days of zones, compared with `Temporal`. */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { dayAt, formatDay, instantAt, parseDay } from './days.ts';
import { isZone, timeZone } from './zones.ts';

const HOUR = 3_600_000;
/** Zones that differ in when their clocks change, and by how much. */
const ZONES = [
  'UTC',
  'Europe/Moscow',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Africa/Cairo',
];
const zone = fc.constantFrom(...ZONES);
const day = fc.integer({ min: parseDay('2005-01-01'), max: parseDay('2035-12-31') });
const dateOf = (number: number) => Temporal.PlainDate.from(formatDay(number));

describe('a day of a zone', () => {
  it('starts a day where Temporal says it does', () => {
    fc.assert(
      fc.property(zone, day, (name, number) => {
        const text = `${name} ${formatDay(number)}`;
        expect([text, instantAt(name, number)]).toEqual([text, dateOf(number).toZonedDateTime(name).epochMilliseconds]);
      }),
      { numRuns: 3000 },
    );
  });

  it('puts every instant into exactly one day', () => {
    fc.assert(
      fc.property(zone, day, fc.integer({ min: 0, max: 26 * HOUR }), (name, number, after) => {
        const at = instantAt(name, number) + after;
        const own = dayAt(name, at);
        expect(instantAt(name, own)).toBeLessThanOrEqual(at);
        expect(instantAt(name, own + 1)).toBeGreaterThan(at);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives a day 23 hours when clocks go forward and 25 when they go back', () => {
    const hours = (text: string) =>
      (instantAt('Europe/Berlin', parseDay(text) + 1) - instantAt('Europe/Berlin', parseDay(text))) / HOUR;
    expect([hours('2026-03-28'), hours('2026-03-29'), hours('2026-10-25')]).toEqual([24, 23, 25]);
  });

  it('resolves a local time to the first of two instants, and a skipped one to the change', () => {
    fc.assert(
      fc.property(zone, day, fc.integer({ min: 0, max: 1439 }), (name, number, minutes) => {
        const wall = dateOf(number).toPlainDateTime({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
        const there = wall.toZonedDateTime(name, { disambiguation: 'earlier' });
        const at = instantAt(name, number, minutes);
        if (there.toPlainDateTime().equals(wall)) expect(at).toBe(there.epochMilliseconds);
        else expect(at).toBe(there.getTimeZoneTransition('next')?.epochMilliseconds);
      }),
      { numRuns: 3000 },
    );
  });
});

it('lists the known time zones', () => {
  expect(['Europe/Moscow', 'UTC', 'Mars/Base', ''].map(isZone)).toEqual([true, true, false, false]);
  expect(timeZone.safeParse('Mars/Base').error?.issues[0]?.message).toBe('Unknown time zone');
});
