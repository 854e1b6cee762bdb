/** Everything that a list finds, and the ids of it. */
import { useQuery } from '@tanstack/react-query';
import { call } from './api.ts';
import { t } from './i18n.ts';
import { keyOf } from './query.ts';
import type { ListOf, ReadableResource, Row } from './resource.ts';

const PAGE_LIMIT = 100;
/** More at once belongs into several narrower selections. */
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

/** Throws when they are more than one selection holds. */
export async function fetchAllIds<T extends Row>(
  list: ReadableResource<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<number[]> {
  const rows = await fetchAllRows(list, query);
  return rows.map((row) => row.id);
}

/** How many rows of a list hang on any of `ids`, by the filter of that name. Each row hangs on one of them. */
export async function countRowsOf(list: ListOf<unknown>, filter: string, ids: readonly number[]): Promise<number> {
  let count = 0;
  for (let from = 0; from < ids.length; from += PAGE_LIMIT) {
    const { total } = await call(list, { query: { [filter]: ids.slice(from, from + PAGE_LIMIT), limit: 1 } });
    count += total ?? 0;
  }
  return count;
}

/** Every row of a list that is short by its nature, for those who need them all by their ids. */
export function useAllRows<T extends Row>(
  crud: Pick<ReadableResource<T>, 'list'>,
  query: Readonly<Record<string, unknown>>,
) {
  return useQuery<T[]>({
    // Begins like the list's own key, so that what makes that stale makes this stale too.
    queryKey: [...keyOf(crud.list), 'every', query],
    queryFn: () => fetchAllRows(crud.list, query),
  });
}
