/** Working hours in every time zone: around each clock change of 2025 to 2028, and in two ordinary weeks. */
import { expect, it } from 'vitest';
import { clockChangesOf, daysAround, findMismatches } from '../testing/workingHoursOracle.ts';

/** A week in winter and one in summer, in which few zones change their clocks. */
const WEEKS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 6)];

it('agree in every time zone with a minute-by-minute search', { timeout: 600_000 }, () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const spans = clockChangesOf(zone, 2025, 2028).map(daysAround);
    for (const { from, days } of [...spans, ...WEEKS.map((from) => ({ from, days: 7 }))])
      expect(findMismatches(zone, from, days)).toEqual([]);
  }
});
