import { expect, test } from 'vitest';
import { formatMinutes, minutesIn, unitOf } from './duration.ts';

test.each([
  [null, 'minutes'],
  [45, 'minutes'],
  [60, 'minutes'],
  [90, 'minutes'],
  [120, 'hours'],
  [1440, 'days'],
  [2000, 'minutes'],
  [2160, 'hours'],
  [4320, 'days'],
])('edits %s minutes in %s', (minutes, unit) => {
  expect(unitOf(minutes)).toBe(unit);
});

test('writes a duration as a whole number of its unit', () => {
  for (const minutes of [45, 120, 2160, 4320]) expect(minutes % minutesIn(unitOf(minutes))).toBe(0);
  expect([formatMinutes(4320), formatMinutes(1505), formatMinutes(0)]).toEqual(['3 d', '1 d 1 h 5 min', '0 min']);
});
