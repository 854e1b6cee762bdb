/** Read all rows of a list, or their ids. */
import { useQuery } from '@tanstack/react-query';
import { call } from './api.ts';
import { t } from './i18n.ts';
import { keyOf } from './query.ts';
import type { ListOf, ReadableResource, Row } from './resource.ts';

const PAGE_LIMIT = 100;
/** Limit of rows in one selection. */
export const MAX_SELECTED = 10_000;

async function fetchAllRows<T extends Row>(
  list: ReadableResource<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page++) {
    const pageQuery = { ...query, page, limit: PAGE_LIMIT, order_by: 'id', order: 'asc', with_total: false };
    const { items } = await call(list, { query: pageQuery });
    rows.push(...items);
    if (rows.length > MAX_SELECTED)
      throw new Error(t('At most {{most}} at once. Narrow the list.', { most: MAX_SELECTED }));
    if (items.length < PAGE_LIMIT) return rows;
  }
}

/** Read the ids of all matching rows. Throws if there are more than `MAX_SELECTED`. */
export async function fetchAllIds<T extends Row>(
  list: ReadableResource<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<number[]> {
  const rows = await fetchAllRows(list, query);
  return rows.map((row) => row.id);
}

/**
 * Count the rows whose `filter` matches any of `ids`. Each row may match only one id, because the counts of batches add
 * up.
 */
export async function countRowsOf(list: ListOf<unknown>, filter: string, ids: readonly number[]): Promise<number> {
  let count = 0;
  for (let from = 0; from < ids.length; from += PAGE_LIMIT) {
    const { total } = await call(list, { query: { [filter]: ids.slice(from, from + PAGE_LIMIT), limit: 1 } });
    count += total ?? 0;
  }
  return count;
}

/** Read every row of a list that is short by nature, for callers that look rows up by id. */
export function useAllRows<T extends Row>(
  crud: Pick<ReadableResource<T>, 'list'>,
  query: Readonly<Record<string, unknown>>,
) {
  return useQuery<T[]>({
    // Shares the prefix of the list's key, so that invalidating the list also invalidates this query.
    queryKey: [...keyOf(crud.list), 'every', query],
    queryFn: () => fetchAllRows(crud.list, query),
  });
}
