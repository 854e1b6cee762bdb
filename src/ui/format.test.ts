import { describe, expect, test } from 'vitest';
import { now } from './clock.ts';
import {
  addDays,
  dateTimeInSentence,
  dayOf,
  formatCalendarDay,
  formatCount,
  formatCountdown,
  formatDateTime,
  formatDay,
  formatDollars,
  formatNumber,
  formatRelative,
  formatShortDay,
  formatTime,
  formatZone,
  instantOfTime,
  shortDayInSentence,
  today,
} from './format.ts';

const at = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

describe('relative times', () => {
  test.each([
    [-20_000, 'just now'],
    [1_000, 'just now'],
    [20_000, 'in a moment'],
    [-5 * MINUTE, '5 min. ago'],
    [5 * MINUTE, 'in 5 min.'],
    [-3 * 60 * MINUTE, '3 hr. ago'],
    [-26 * 60 * MINUTE, 'yesterday'],
    [-4 * 1440 * MINUTE, '4 days ago'],
  ])('formats %d ms from now as %s', (distance, expected) => {
    expect(formatRelative(iso(at + distance), at)).toBe(expected);
  });
});

describe('zones', () => {
  test("formats an instant in its zone's time and day", () => {
    const late = '2020-03-01T22:30:00.000Z';
    expect(formatTime(late, 'UTC')).toBe('22:30');
    expect(formatTime(late, 'Europe/Moscow')).toBe('01:30');
    expect(dayOf(late, 'UTC')).toBe('2020-03-01');
    expect(dayOf(late, 'Europe/Moscow')).toBe('2020-03-02');
    expect(formatDateTime(late, 'Europe/Moscow')).toBe('2 Mar 2020, 01:30');
  });

  test('formats midnight as 00:00', () => {
    expect(formatTime('2020-03-01T00:00:00.000Z', 'UTC')).toBe('00:00');
  });

  test('falls back when the browser does not know a zone', () => {
    expect(formatTime('2020-03-01T22:30:00.000Z', 'Mars/Olympus')).toMatch(/^\d\d:\d\d$/);
    expect(formatZone('Europe/Moscow', '2020-03-01T22:30:00.000Z')).toBe('GMT+3');
  });
});

test('names near days in the given zone', () => {
  const zone = 'Pacific/Auckland';
  const [here, before] = [today(zone), addDays(today(zone), -1)];
  expect([here, before].map((day) => formatCalendarDay(day, zone))).toEqual(['Today', 'Yesterday']);
  expect([formatShortDay(before, zone), formatShortDay('2020-03-01', zone)]).toEqual(['Yesterday', '1 Mar 2020']);
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
  const instant = iso(now());
  expect(formatDateTime(instant, zone)).toBe(`Today, ${formatTime(instant, zone)}`);
  expect(dateTimeInSentence(instant, zone)).toBe(`today, ${formatTime(instant, zone)}`);
  expect([here, before].map((day) => shortDayInSentence(day, zone))).toEqual(['today', 'yesterday']);
  expect(dayOf(instant, zone)).toBe(here);
  expect(formatDay(iso(now()))).toBe('Today');
  expect(formatDay('2020-03-01T12:00:00.000Z', 'UTC')).toBe('Sunday, 1 March 2020');
});

test('converts a time of day in a zone to an instant', () => {
  expect(instantOfTime('2026-11-20', '10:30', 'Europe/Moscow')).toBe('2026-11-20T07:30:00.000Z');
  expect(instantOfTime('2026-07-20', '00:15', 'America/New_York')).toBe('2026-07-20T04:15:00.000Z');
  expect(instantOfTime('2026-11-20', '10:30', 'UTC')).toBe('2026-11-20T10:30:00.000Z');
});

test('formats countdowns', () => {
  expect(formatCountdown(-3)).toBe('0:00');
  expect(formatCountdown(245)).toBe('4:05');
  expect(formatCountdown(7445)).toBe('2:04:05');
  expect(formatCountdown(3 * 86_400 + 5)).toBe('3 d 0:00:05');
});

test('formats dollars to the cent, and smaller amounts to their first digits', () => {
  expect([0, 0.000001, 0.00012, 0.0099999, 0.01, 4.9, 1234.567].map(formatDollars)).toEqual([
    '$0.00',
    '<$0.00001',
    '$0.00012',
    '$0.01000',
    '$0.01',
    '$4.90',
    '$1,234.57',
  ]);
});

test('shortens counts from a thousand up', () => {
  expect([7, 999, 1_240, 1_000_000].map(formatCount)).toEqual(['7', '999', '1.2K', '1M']);
});

test('groups digits', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
});
