/** Adds up spending by purpose and model over a period. Pure. */
import type { Spending, Spent, Sums } from '../../costContract.ts';

export type Period = 'today' | 'week' | 'month';
const PERIOD_DAYS: Readonly<Record<Period, number>> = { today: 1, week: 7, month: 30 };

type SpentOn = Omit<Spent, 'day'>;

const NOTHING: Sums = { runs: 0, unpriced: 0, input_tokens: 0, output_tokens: 0, cost: 0 };

/** Add up the rows. */
export function sumOf(rows: readonly Sums[]): Sums {
  return rows.reduce<Sums>(
    (all, one) => ({
      runs: all.runs + one.runs,
      unpriced: all.unpriced + one.unpriced,
      input_tokens: all.input_tokens + one.input_tokens,
      output_tokens: all.output_tokens + one.output_tokens,
      cost: all.cost + one.cost,
    }),
    NOTHING,
  );
}

/** Return one row per purpose and model for the last days of the period, highest cost first. */
export function rowsOf({ days, items }: Spending, period: Period): SpentOn[] {
  const within = new Set(days.slice(-PERIOD_DAYS[period]));
  const groups = Map.groupBy(
    items.filter((one) => within.has(one.day)),
    ({ purpose, vendor, model }) => JSON.stringify([purpose, vendor, model]),
  );
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { purpose, vendor, model } = first;
      return [{ purpose, vendor, model, ...sumOf(group) }];
    })
    .toSorted((a, b) => b.cost - a.cost || b.runs - a.runs);
}
