/** The days of a request, and as many before them. */
import { formatDay, parseDay } from '../platform/days.ts';
import type { OutcomeFilter } from './outcomeContract.ts';

export interface Period {
  readonly from: string;
  readonly to: string;
}

const FIRST_DAY = parseDay('0001-01-01');

/** Return the days that a filter names, up to `today`, and the equally long period before; null without a first day. */
export function periodsOf(
  { started_from: from, started_to: to }: Pick<OutcomeFilter, 'started_from' | 'started_to'>,
  today: number,
): { readonly current: Period | null; readonly previous: Period | null } {
  if (from === undefined) return { current: null, previous: null };
  const first = parseDay(from);
  const last = to === undefined ? Math.max(first, today) : parseDay(to);
  const current = { from, to: formatDay(last) };
  const before = first - (last - first + 1);
  // A period that ends before it begins has none before it, and neither has one that would begin before the year 1.
  if (last < first || before < FIRST_DAY) return { current, previous: null };
  return { current, previous: { from: formatDay(before), to: formatDay(first - 1) } };
}

/** Return the Monday of a day's week. */
export const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);
