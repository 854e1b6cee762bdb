/** Why leads refused, how long they waited for people, and what models cost: of the attempts that match a filter. */
import type pg from 'pg';
import type { AnswerOf } from '../platform/contract.ts';
import { dayAt, formatDay, instantAt, parseDay } from '../platform/days.ts';
import { rateOf } from './funnel.ts';
import {
  MAX_REFUSAL_EXAMPLES,
  MAX_REFUSALS,
  type ResponseTimesOfOperator,
  type readOutcomeSpending,
  type readRefusals,
  type readResponseTimes,
  type SpentInPeriod,
} from './insightContract.ts';
import type { OutcomeFilter } from './outcomeContract.ts';
import { mondayOf } from './period.ts';
import { funnelOfGroups, type OutcomeQuestion } from './readOutcomes.ts';
import {
  countRefusals,
  periodOf,
  type ResponseGroup,
  type RunGroup,
  readRefusalExamples,
  readResponses,
  sumRuns,
} from './store/insights.ts';
import { countOutcomes, listFilter, type OutcomeGroup, readStartRange } from './store/outcomes.ts';

type Question = Omit<OutcomeQuestion, 'now'>;

/** Count refusals by reason. */
export async function readRefusalGroups(
  pool: pg.Pool,
  { filter, zone }: Question,
): Promise<AnswerOf<typeof readRefusals>> {
  const query = listFilter(filter, zone);
  const [all, found] = await Promise.all([
    countOutcomes(pool, query, { columns: [], currentFrom: null }),
    countRefusals(pool, query, { limit: MAX_REFUSALS, examples: MAX_REFUSAL_EXAMPLES }),
  ]);
  const { attempts } = funnelOfGroups(all);
  const examples = await readRefusalExamples(
    pool,
    found.flatMap(({ newest }) => newest),
  );
  const refusals = found[0]?.refusals ?? 0;
  return {
    attempts,
    refusals,
    rate: rateOf(refusals, attempts),
    filter: { ...filter, refusal: filter.refusal ?? ['opted_out', 'refused'] },
    items: found.map(({ refusal, ended_by: endedBy, reason, count, newest }) => ({
      refusal,
      ended_by: endedBy,
      reason,
      count,
      rate: rateOf(count, attempts),
      examples: newest.flatMap((id) => {
        const example = examples.get(id);
        return example ? [{ lead_id: example.lead_id, lead_name: example.lead_name, text: example.text }] : [];
      }),
      filter: { ...filter, ...refusalFilter(filter, { refusal, endedBy, reason }) },
    })),
    others: {
      groups: (found[0]?.groups ?? 0) - found.length,
      count: refusals - found.reduce((sum, { count }) => sum + count, 0),
    },
  };
}

function refusalFilter(
  { without = [] }: OutcomeFilter,
  { refusal, endedBy, reason }: { refusal: 'opted_out' | 'refused'; endedBy: string | null; reason: string | null },
): Partial<OutcomeFilter> {
  if (refusal === 'opted_out') return { refusal: [refusal] };
  const lacks = [
    ...(endedBy === null ? ['ended_by' as const] : []),
    ...(reason === null ? ['refusal_reason' as const] : []),
  ];
  return {
    refusal: [refusal],
    ...(endedBy === null ? {} : { ended_by: [endedBy] }),
    ...(reason === null ? {} : { refusal_reason: [reason] }),
    ...(lacks.length === 0 ? {} : { without: [...new Set([...without, ...lacks])] }),
  };
}

/** Read how long leads waited for a person after a hand-over. */
export async function readWaits(
  pool: pg.Pool,
  { filter, zone }: Question,
): Promise<AnswerOf<typeof readResponseTimes>> {
  const groups = await readResponses(pool, listFilter(filter, zone));
  const answered = groups.filter((group) => group.is_answered);
  const total = (of: readonly ResponseGroup[]): number => of.reduce((sum, { count }) => sum + count, 0);
  const items = answered
    .map(
      (group): ResponseTimesOfOperator => ({
        operator: group.operator,
        ...timesOf([group]),
        filter: {
          ...filter,
          ...(group.operator === null ? { response: ['phone'] } : { responder: [group.operator] }),
        },
      }),
    )
    .toSorted(
      (a, b) =>
        Number(a.operator === null) - Number(b.operator === null) ||
        b.answered - a.answered ||
        ((a.operator ?? '') < (b.operator ?? '') ? -1 : 1),
    );
  const reached = [...new Set([...(filter.reached ?? []), 'handed_over' as const])];
  const isAnswer = (response: string): boolean => response !== 'none';
  return {
    handed_over: total(groups),
    handed_over_filter: { ...filter, reached },
    unanswered: total(groups) - total(answered),
    unanswered_filter: { ...filter, response: ['none'] },
    overall: {
      ...timesOf(answered),
      filter: { ...filter, response: filter.response?.filter(isAnswer) ?? ['operator', 'phone'] },
    },
    items,
  };
}

/** Return how many waited, and the times within which half and nine tenths of them were answered. */
function timesOf(groups: readonly ResponseGroup[]) {
  const seconds = groups
    .flatMap((group) => group.seconds.flatMap((one) => (one === null ? [] : [one])))
    .toSorted((a, b) => a - b);
  const within = (share: number): number | null => seconds[Math.ceil(share * seconds.length) - 1] ?? null;
  return { answered: seconds.length, median: within(0.5), p90: within(0.9) };
}

/** Read what models cost for attempts. */
export async function readSpent(
  pool: pg.Pool,
  { filter, zone, by }: Question & { readonly by: 'day' | 'week' },
): Promise<AnswerOf<typeof readOutcomeSpending>> {
  const query = listFilter(filter, zone);
  const days = await readPeriods(pool, { filter, zone, by });
  const starts = days.map((first) => new Date(instantAt(zone, first)).toISOString());
  const [counted, runs] = await Promise.all([
    countOutcomes(pool, query, { columns: [periodOf(starts)], currentFrom: null }),
    sumRuns(pool, query, starts),
  ]);
  const inPeriod = Map.groupBy(counted, ({ values }) => Number(values[0]));
  const runsIn = Map.groupBy(runs, ({ period }) => period);
  const periods = [...inPeriod]
    .toSorted(([a], [b]) => a - b)
    .map(([place, groups]): SpentInPeriod => {
      const first = days[place - 1] ?? 0;
      const last = by === 'day' ? first : first + 6;
      const from = latest(formatDay(first), filter.started_from);
      const to = earliest(formatDay(last), filter.started_to);
      return {
        from,
        to,
        ...spentOn(groups, { ...filter, started_from: from, started_to: to }),
        models: (runsIn.get(place) ?? []).map(modelCost).toSorted(byCost),
      };
    });
  const models = [...Map.groupBy(runs, ({ purpose, model }) => `${purpose}:${model}`)].map(([run, groups]) => ({
    ...groups.map(modelCost).reduce((a, b) => ({
      ...a,
      runs: a.runs + b.runs,
      unpriced: a.unpriced + b.unpriced,
      cost: exact(a.cost + b.cost),
    })),
    filter: { ...filter, run: [run] },
  }));
  return { total: spentOn(counted, filter), periods, models: models.toSorted(byCost) };
}

/** Return the first days of the periods of a product's attempts, the earliest first. */
async function readPeriods(
  pool: pg.Pool,
  { filter, zone, by }: Question & { readonly by: 'day' | 'week' },
): Promise<number[]> {
  const range = await readStartRange(pool, filter.product_id);
  if (!range) return [];
  const from = filter.started_from === undefined ? -Infinity : parseDay(filter.started_from);
  const to = filter.started_to === undefined ? Infinity : parseDay(filter.started_to);
  const first = Math.max(dayAt(zone, range.first), from);
  const last = Math.min(dayAt(zone, range.last), to);
  const start = by === 'day' ? first : mondayOf(first);
  const length = by === 'day' ? 1 : 7;
  return Array.from(
    { length: Math.max(0, Math.floor((last - start) / length) + 1) },
    (_none, place) => start + place * length,
  );
}

const latest = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a);
const earliest = (a: string, b: string | undefined): string => (b !== undefined && b < a ? b : a);

function spentOn(groups: readonly OutcomeGroup[], filter: OutcomeFilter) {
  const figures = funnelOfGroups(groups);
  const { attempts, qualified, success, cost, cost_per_qualified, cost_per_success } = figures;
  return {
    attempts,
    qualified,
    success,
    cost,
    cost_per_attempt: attempts === 0 ? null : cost / attempts,
    cost_per_qualified,
    cost_per_success,
    filter,
  };
}

/** Costs have eight decimals; sums of floating-point numbers would have a residue. */
const exact = (cost: number): number => Math.round(cost * 1e8) / 1e8;

const modelCost = ({ purpose, model, count, unpriced, cost }: RunGroup) => ({
  purpose,
  model,
  runs: count,
  unpriced,
  cost: exact(cost),
});

type Cost = ReturnType<typeof modelCost>;

const byCost = (a: Cost, b: Cost): number =>
  b.cost - a.cost || b.runs - a.runs || (`${a.purpose}:${a.model}` < `${b.purpose}:${b.model}` ? -1 : 1);
