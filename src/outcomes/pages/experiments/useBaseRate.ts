/** What is known of the leads that could take part: how many there are, and the metric's rate. */
import { addDays, today } from '../../../ui/format.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useProductZone } from '../../../ui/scope.ts';
import type { Experiment } from '../../experimentContract.ts';
import { isTooFew } from '../../funnel.ts';
import { type OutcomeFilter, readOutcomesBy } from '../../outcomeContract.ts';
import { useFirstResultDay } from '../shared/results.ts';

type Metric = Experiment['metric'];

export interface BaseRate {
  readonly attempts: number;
  readonly count: number;
  /** Null without attempts. */
  readonly rate: number | null;
  /** Fewer than 30 attempts. */
  readonly isTooFew: boolean;
  /** Attempts in a week. */
  readonly perWeek: number;
  /** Finds the attempts. */
  readonly filter: OutcomeFilter;
}

/**
 * Read it from the attempts of the last 90 days, or since the first of them: for first texts from those that began with a
 * message of ours, else from those in which the lead has written. Undefined while it loads.
 */
export function useBaseRate(productId: number, kind: Experiment['kind'], metric: Metric) {
  const zone = useProductZone();
  const from = useFirstResultDay();
  const filter: OutcomeFilter = {
    product_id: productId,
    started_from: from,
    ...(kind === 'first_text' ? { started_by: ['us'] } : { reached: ['answered'] }),
  };
  const { data, error } = useEndpoint(
    readOutcomesBy,
    { params: { dimension: 'week' }, query: filter },
    { enabled: productId > 0 },
  );
  return { error, base: data && baseRateOf(data.items, { metric, filter, from, today: today(zone) }) };
}

interface Known {
  readonly metric: Metric;
  readonly filter: OutcomeFilter;
  readonly from: string;
  readonly today: string;
}

type Week = { readonly value: string | number | null; readonly attempts: number } & Readonly<Record<Metric, number>>;

/** Add up the weeks, the first one first. */
export function baseRateOf(weeks: readonly Week[], { metric, filter, from, today: last }: Known): BaseRate {
  const attempts = weeks.reduce((sum, week) => sum + week.attempts, 0);
  const count = weeks.reduce((sum, week) => sum + week[metric], 0);
  const monday = String(weeks[0]?.value ?? last);
  const first = monday > from ? monday : from;
  const days = (Date.parse(addDays(last, 1)) - Date.parse(first)) / 86_400_000;
  return {
    attempts,
    count,
    rate: attempts === 0 ? null : count / attempts,
    isTooFew: isTooFew(attempts),
    perWeek: days > 0 ? (attempts * 7) / days : 0,
    filter,
  };
}
