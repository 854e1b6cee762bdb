import { expect, test } from 'vitest';
import { presets, toInstant, toWallTime } from './wallTime.ts';

const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

test('converts a wall-clock time to an instant in its zone', () => {
  expect(iso(toInstant('2026-01-15 09:30', 'Europe/Moscow'))).toBe('2026-01-15T06:30:00.000Z');
  expect(iso(toInstant('2026-07-15T09:30:00', 'America/New_York'))).toBe('2026-07-15T13:30:00.000Z');
  expect(iso(toInstant('2026-01-15 09:30', 'Asia/Kathmandu'))).toBe('2026-01-15T03:45:00.000Z');
  expect(toInstant('soon', 'UTC')).toBeNull();
});

test('moves a skipped hour forward and takes the first of a repeated one', () => {
  expect(iso(toInstant('2026-03-29 02:30', 'Europe/Berlin'))).toBe('2026-03-29T01:30:00.000Z');
  expect(iso(toInstant('2026-10-25 02:30', 'Europe/Berlin'))).toBe('2026-10-25T00:30:00.000Z');
});

test('converts back to the same minute', () => {
  for (const zone of ['Europe/Moscow', 'Pacific/Auckland', 'America/St_Johns', 'UTC']) {
    const instant = Date.parse('2026-05-05T22:41:00.000Z');
    expect(toInstant(toWallTime(instant, zone), zone)).toBe(instant);
  }
});

test("offers the lead's mornings as presets, Monday once", () => {
  const friday = Date.parse('2026-11-20T20:00:00.000Z');
  const inTokyo = presets(friday, 'Asia/Tokyo');
  expect(inTokyo.map(({ label, at }) => [label, iso(at)])).toEqual([
    ['In 1 hour', '2026-11-20T21:00:00.000Z'],
    ['Tomorrow morning', '2026-11-22T00:00:00.000Z'],
    ['Next Monday morning', '2026-11-23T00:00:00.000Z'],
  ]);
  const sunday = Date.parse('2026-11-22T12:00:00.000Z');
  expect(presets(sunday, 'UTC').map(({ label }) => label)).toEqual(['In 1 hour', 'Tomorrow morning']);
});
