/** The ranges of days that Insights offers. Pure. */
import { addDays } from '../../../ui/format.ts';

export const ranges = ['7', '30', '90', 'this_month', 'last_month'] as const;
export type Range = (typeof ranges)[number];

export const DEFAULT_RANGE: Range = '30';

/** The first day and the last one, both included: `2026-11-01`. */
export interface Days {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Return the days of a range; `today` is the current day in the product's time zone. */
export function daysOf(range: Range, today: string): { readonly from: string; readonly to: string } {
  const first = `${today.slice(0, 8)}01`;
  switch (range) {
    case '7':
    case '30':
    case '90':
      return { from: addDays(today, 1 - Number(range)), to: today };
    case 'this_month':
      return { from: first, to: today };
    case 'last_month': {
      const to = addDays(first, -1);
      return { from: `${to.slice(0, 8)}01`, to };
    }
    default:
      return range satisfies never;
  }
}

/** Return the range with exactly these days; null if they are none of them. */
export function rangeOf({ from, to }: Days, today: string): Range | null {
  return (
    ranges.find((range) => {
      const days = daysOf(range, today);
      return days.from === from && days.to === (to ?? today);
    }) ?? null
  );
}
