/**
 * Compares working hours with the oracle in full: every time zone except links, two days around each clock change of
 * 2025 to 2028, and two ordinary weeks; with `--quick` every twentieth zone. The zones are spread over threads.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { COMPARISONS_PER_DAY, clockChangesOf, daysAround, findMismatches } from '../../testing/workingHoursOracle.ts';
import { definePart } from '../harness/command.ts';
import { rowTable } from '../harness/report.ts';

const YEARS = [2025, 2028] as const;
/** A week in winter and one in summer, in which few zones change their clocks. */
const WEEKS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 6)];

const comparisonSchema = z.object({
  zones: z.int(),
  changes: z.int(),
  compared: z.int(),
  wrong: z.array(z.string()),
});
type WorkingHoursComparison = z.output<typeof comparisonSchema>;

const sliceSchema = z.object({ index: z.int(), of: z.int(), each: z.int() });

function compareSlice({ index, of, each }: z.output<typeof sliceSchema>): WorkingHoursComparison {
  const sum = { zones: 0, changes: 0, compared: 0, wrong: [] as string[] };
  for (const [place, zone] of Intl.supportedValuesOf('timeZone').entries()) {
    if (place % each !== 0 || (place / each) % of !== index) continue;
    sum.zones++;
    const changes = clockChangesOf(zone, ...YEARS);
    sum.changes += changes.length;
    for (const { from, days } of [...changes.map(daysAround), ...WEEKS.map((from) => ({ from, days: 7 }))]) {
      sum.compared += days * COMPARISONS_PER_DAY;
      sum.wrong.push(...findMismatches(zone, from, days));
    }
  }
  return sum;
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(compareSlice(sliceSchema.parse(workerData)));

/** Compare all zones that the platform knows by a name of their own, or only every n-th of them. */
async function compareWorkingHours(each = 1): Promise<WorkingHoursComparison> {
  const of = availableParallelism();
  const parts = await Promise.all(
    Array.from({ length: of }, async (_none, index) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { index, of, each } });
      const [result] = await new Promise<unknown[]>((resolve, reject) => {
        worker.once('message', (message: unknown) => resolve([message]));
        worker.once('error', reject);
      });
      return comparisonSchema.parse(result);
    }),
  );
  return {
    zones: parts.reduce((sum, one) => sum + one.zones, 0),
    changes: parts.reduce((sum, one) => sum + one.changes, 0),
    compared: parts.reduce((sum, one) => sum + one.compared, 0),
    wrong: parts.flatMap((one) => one.wrong),
  };
}

export const windows = definePart({
  heading: 'Working hours in every zone',
  options: {},
  async run({ isQuick }) {
    const { zones, changes, compared, wrong } = await compareWorkingHours(isQuick ? 20 : 1);
    const columns = { zones, 'clock changes': changes, comparisons: compared, mismatches: wrong.length };
    return {
      text: `Against a search minute by minute: two days around each clock change of 2025 to 2028 and two ordinary weeks.

${rowTable(columns)}`,
      violations: wrong,
    };
  },
});
