import { expect, it } from 'vitest';
import { daysOf, rangeOf, ranges } from './ranges.ts';

it('ranges end today, months at their ends, also across a year and in February', () => {
  expect(daysOf('7', '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' });
  expect(daysOf('this_month', '2026-03-31')).toEqual({ from: '2026-03-01', to: '2026-03-31' });
  expect(daysOf('last_month', '2024-03-31')).toEqual({ from: '2024-02-01', to: '2024-02-29' });
  expect(daysOf('last_month', '2026-01-31')).toEqual({ from: '2025-12-01', to: '2025-12-31' });
});

it('recognises a range by its days, and others as none', () => {
  for (const range of ranges) expect(rangeOf(daysOf(range, '2026-11-23'), '2026-11-23')).toBe(range);
  expect(rangeOf({ from: '2026-10-25', to: undefined }, '2026-11-23')).toBe('30');
  expect(rangeOf({ from: '2026-10-02', to: '2026-11-23' }, '2026-11-23')).toBeNull();
  expect(rangeOf({ from: undefined, to: undefined }, '2026-11-23')).toBeNull();
});
