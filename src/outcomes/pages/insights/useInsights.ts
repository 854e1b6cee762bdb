/** What the address says about attempts: the days, the filters, and the view. */
import { type Filter, filterParamNames } from '../../../ui/filter.ts';
import { today } from '../../../ui/format.ts';
import { joinValues, type ListState, readListState } from '../../../ui/listState.ts';
import { type CurrentPage, usePage } from '../../../ui/page.ts';
import { useScope } from '../../../ui/scope.ts';
import type { OutcomeFilter } from '../../outcomeContract.ts';
import { type Days, DEFAULT_RANGE, daysOf } from './ranges.ts';

type Params = CurrentPage['params'];

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dayIn = (text: string | undefined): string | undefined => (DAY.test(text ?? '') ? text : undefined);

/** Read the days of an address. */
export const readDays = (params: Params): Days => ({
  from: dayIn(params['started_from']),
  to: dayIn(params['started_to']),
});

export const dayParams = ({ from, to }: Days) => ({ started_from: from, started_to: to });

/** Read the values of filters from an address. */
export function readValues(params: Params, filters: readonly Filter[]): ListState['filters'] {
  return readListState(params, { orderBy: ['id'], searchable: false, filters: filters.flatMap(filterParamNames) })
    .filters;
}

/** Return the address parameters of filters; those without values are removed. */
export const valueParams = (values: ListState['filters'], filters: readonly Filter[]) =>
  Object.fromEntries(
    filters.flatMap(filterParamNames).map((name) => [name, joinValues(values[name] ?? []) || undefined]),
  );

/** Return the query of the API. Values are texts there too; the server says which are none of its own. */
export const queryOfValues = (productId: number, days: Days, values: ListState['filters']): OutcomeFilter => ({
  product_id: productId,
  ...dayParams(days),
  ...values,
});

/** Return the days and filters of Insights, and their setters. Without days it shows the last 30. */
export function useInsights(filters: readonly Filter[]) {
  const { params, setParams } = usePage();
  const { product } = useScope();
  const now = today(product?.timezone);
  const stated = readDays(params);
  const days: Days = stated.from === undefined && stated.to === undefined ? daysOf(DEFAULT_RANGE, now) : stated;
  const values = readValues(params, filters);
  return {
    days,
    values,
    query: queryOfValues(product?.id ?? 0, days, values),
    setDays: (next: Days) => setParams(dayParams(next)),
    setValues: (next: ListState['filters']) => setParams(valueParams(next, filters)),
  };
}
