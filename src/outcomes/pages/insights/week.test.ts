import { expect, it } from 'vitest';
import { lastWeek, weekIn } from './week.ts';

it('a report is about the last week that has ended, on each day of the present one', () => {
  for (const day of ['2026-11-23', '2026-11-25', '2026-11-29']) expect(lastWeek(day)).toBe('2026-11-16');
  expect(lastWeek('2027-01-01')).toBe('2026-12-21');
});

it('an address that names no Monday, or a week that has not ended, opens the last one', () => {
  expect(weekIn('2026-11-09', '2026-11-16')).toBe('2026-11-09');
  for (const text of ['2026-11-10', '2026-11-23', '2026-13-40', 'soon', undefined])
    expect(weekIn(text, '2026-11-16')).toBe('2026-11-16');
});
