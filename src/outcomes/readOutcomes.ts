/** Counts of outcomes: of all that match a filter, of each value of a dimension, of each follow-up. */
import type pg from 'pg';
import { dayAt, instantAt, parseDay } from '../platform/days.ts';
import { type DimensionRule, dimensionRule, type Names } from './dimensions.ts';
import { funnelOf, isTooFew, type ReachedGroup, rateOf } from './funnel.ts';
import {
  type Dimension,
  type Funnel,
  type FunnelOfValue,
  type OutcomeFilter,
  reachable,
  type StepOutcome,
} from './outcomeContract.ts';
import { mondayOf, type Period, periodsOf } from './period.ts';
import {
  countOutcomes,
  countSteps,
  hasReached,
  listFilter,
  type OutcomeGroup,
  readArmNames,
  readMedians,
  readMessengers,
  readNames,
  readStartRange,
} from './store/outcomes.ts';

export interface OutcomeQuestion {
  readonly filter: OutcomeFilter;
  /** The product's time zone, which defines the days. */
  readonly zone: string;
  /** Milliseconds since 1970, on the domain clock. */
  readonly now: number;
}

/** Return the figures of groups of rows together. */
export const funnelOfGroups = (groups: readonly OutcomeGroup[]): Funnel => funnelOf(groups.map(reachedGroup));

const reachedGroup = ({ reached, count, cost }: OutcomeGroup): ReachedGroup => ({
  reached: new Set(reachable.filter((name) => hasReached(reached, name))),
  count,
  cost,
});

/** Count what matches, and what matched in the period before. */
export async function readStrip(pool: pg.Pool, { filter, zone, now }: OutcomeQuestion) {
  const { current, previous } = periodsOf(filter, dayAt(zone, now));
  const [groups, medians] = await Promise.all([
    countInPeriods(pool, { filter, zone, previous }, { columns: [] }),
    readMedians(pool, listFilter(filter, zone)),
  ]);
  return {
    timezone: zone,
    period: current,
    current: funnelOfGroups(groups.filter(({ isCurrent }) => isCurrent)),
    previous_period: previous,
    previous: previous && funnelOfGroups(groups.filter(({ isCurrent }) => !isCurrent)),
    seconds_to_answer: medians.answer,
    seconds_to_reply: medians.reply,
  };
}

/** Count groups of the filter's period and of the previous one, if there is one. */
function countInPeriods(
  pool: pg.Pool,
  { filter, zone, previous }: Pick<OutcomeQuestion, 'filter' | 'zone'> & { readonly previous: Period | null },
  grouping: DimensionRule['grouping'],
): Promise<OutcomeGroup[]> {
  const { started_from: from } = filter;
  if (!previous || from === undefined)
    return countOutcomes(pool, listFilter(filter, zone), { ...grouping, currentFrom: null });
  const start = instantAt(zone, parseDay(from)) / 1000;
  return countOutcomes(pool, listFilter({ ...filter, started_from: previous.from }, zone), {
    ...grouping,
    currentFrom: (bind) => `t.started_at >= to_timestamp(${bind(start)}::float8)`,
  });
}

/** Count what matches for each value of a dimension, and, but for weeks, what matched in the period before. */
export async function readBy(
  pool: pg.Pool,
  dimension: Dimension,
  { filter, zone, now }: OutcomeQuestion,
): Promise<FunnelOfValue[]> {
  const isWeek = dimension === 'week';
  const rule = dimensionRule(dimension, {
    zone,
    filter,
    mondays: isWeek ? await readMondays(pool, filter.product_id, zone) : [],
  });
  const { previous } = isWeek ? { previous: null } : periodsOf(filter, dayAt(zone, now));
  const groups = await countInPeriods(pool, { filter, zone, previous }, rule.grouping);
  const names = await namesOf(pool, rule, groups);
  const described = groups.map((group) => ({ group, ...rule.describe(group.values, names, filter) }));
  const items = [...Map.groupBy(described, ({ value }) => value)].flatMap(([value, members]) => {
    const of = (isCurrent: boolean) =>
      members.filter(({ group }) => group.isCurrent === isCurrent).map(({ group }) => group);
    const [first] = members;
    const current = of(true);
    // A value that only the period before has is no row: nothing of this period is behind it.
    if (!first || current.length === 0) return [];
    return [
      {
        value,
        label: first.label,
        filter: { ...filter, ...first.filter },
        ...funnelOfGroups(current),
        previous: previous && funnelOfGroups(of(false)),
      },
    ];
  });
  return items.toSorted(rule.isOrdered ? byValue : byFrequency);
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : Number(a > b));

const byValue = (a: FunnelOfValue, b: FunnelOfValue): number => compare(a.value ?? '', b.value ?? '');

const byFrequency = (a: FunnelOfValue, b: FunnelOfValue): number =>
  b.attempts - a.attempts || compare(a.label, b.label) || compare(String(a.value), String(b.value));

/** Return the Mondays of the weeks in which a product's attempts began. */
async function readMondays(pool: pg.Pool, productId: number, zone: string): Promise<number[]> {
  const range = await readStartRange(pool, productId);
  if (!range) return [];
  const first = mondayOf(dayAt(zone, range.first));
  const weeks = (mondayOf(dayAt(zone, range.last)) - first) / 7 + 1;
  return Array.from({ length: weeks }, (_none, place) => first + place * 7);
}

/** Read the names that the labels of a dimension need. */
async function namesOf(pool: pg.Pool, { lookUp = {} }: DimensionRule, groups: readonly OutcomeGroup[]): Promise<Names> {
  const ids = (kind: Exclude<keyof Names, 'arms'>): number[] => [
    ...new Set(
      groups.flatMap(({ values }) => {
        const id = lookUp[kind]?.(values);
        return typeof id === 'number' ? [id] : [];
      }),
    ),
  ];
  const [prompts, prepared, channels, messengers, imports, experiments, arms] = await Promise.all([
    readNames(pool, 'prompts', ids('prompts')),
    readNames(pool, 'prepared_messages', ids('prepared_messages')),
    readNames(pool, 'channels', ids('channels')),
    readMessengers(pool, ids('messengers')),
    readNames(pool, 'lead_imports', ids('lead_imports')),
    readNames(pool, 'experiments', ids('experiments')),
    readArmNames(pool, ids('experiments')),
  ]);
  return { prompts, prepared_messages: prepared, channels, messengers, lead_imports: imports, experiments, arms };
}

/** Count the attempts that got each follow-up, the first one first. */
export async function readSteps(pool: pg.Pool, { filter, zone }: Omit<OutcomeQuestion, 'now'>): Promise<StepOutcome[]> {
  const steps = await countSteps(pool, listFilter(filter, zone));
  return steps
    .toSorted((a, b) => a.step - b.step)
    .map(({ step, answered, opted_out: optedOut, count: sent }) => ({
      value: step,
      label: `Follow-up ${step}`,
      filter: { ...filter, step: [...new Set([...(filter.step ?? []), step])] },
      sent,
      answered,
      opted_out: optedOut,
      rates: { answered: rateOf(answered, sent), opted_out: rateOf(optedOut, sent) },
      too_few: isTooFew(sent),
    }));
}
