/**
 * Compares working hours with the oracle in full: every time zone except links, two days around each clock change of
 * 2025 to 2028, and two ordinary weeks; with `--quick` every twentieth zone.
 */
import { COMPARISONS_PER_DAY, clockChangesOf, daysAround, findMismatches } from '../../testing/workingHoursOracle.ts';
import { definePart } from '../harness/command.ts';
import { rowTable } from '../harness/report.ts';

const YEARS = [2025, 2028] as const;
/** A week in winter and one in summer, in which few zones change their clocks. */
const WEEKS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 6)];

export const windows = definePart({
  heading: 'Working hours in every zone',
  options: {},
  async run({ isQuick }) {
    const zones = Intl.supportedValuesOf('timeZone').filter((_zone, index) => index % (isQuick ? 20 : 1) === 0);
    let [changeCount, comparisons] = [0, 0];
    const violations: string[] = [];
    for (const zone of zones) {
      const changes = clockChangesOf(zone, ...YEARS);
      changeCount += changes.length;
      for (const { from, days } of [...changes.map(daysAround), ...WEEKS.map((from) => ({ from, days: 7 }))]) {
        comparisons += days * COMPARISONS_PER_DAY;
        violations.push(...findMismatches(zone, from, days));
      }
    }
    const columns = { zones: zones.length, 'clock changes': changeCount, comparisons, mismatches: violations.length };
    return {
      text: `Against a search minute by minute: two days around each clock change of 2025 to 2028 and two ordinary weeks.

${rowTable(columns)}`,
      violations,
    };
  },
});
