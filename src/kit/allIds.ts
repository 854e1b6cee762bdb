/** Everything that a list finds, and the ids of it. */
import { useQuery } from '@tanstack/react-query';
import { call } from './api.ts';
import { keyOf } from './query.ts';
import type { ListOf, Readable, Row } from './resource.ts';
import { t } from './t.ts';

const PER_CALL = 100;
/** More at once belongs into several narrower selections. */
export const MOST_SELECTED = 10_000;

async function everyRow<T extends Row>(
  list: Readable<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page++) {
    const asked = { ...query, page, limit: PER_CALL, order_by: 'id', order: 'asc', with_total: false };
    const { items } = await call(list, { query: asked });
    rows.push(...items);
    if (rows.length > MOST_SELECTED)
      throw new Error(t('At most {{most}} at once. Narrow the list.', { most: MOST_SELECTED }));
    if (items.length < PER_CALL) return rows;
  }
}

/** Throws when they are more than one selection holds. */
export async function allIds<T extends Row>(
  list: Readable<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<number[]> {
  const rows = await everyRow(list, query);
  return rows.map((row) => row.id);
}

/** How many rows of a list hang on any of `ids`, by the filter of that name. Each row hangs on one of them. */
export async function countAmong(list: ListOf<unknown>, filter: string, ids: readonly number[]): Promise<number> {
  let count = 0;
  for (let from = 0; from < ids.length; from += PER_CALL) {
    const { total } = await call(list, { query: { [filter]: ids.slice(from, from + PER_CALL), limit: 1 } });
    count += total ?? 0;
  }
  return count;
}

/** Every row of a list that is short by its nature, for those who need them all by their ids. */
export function useEveryRow<T extends Row>(crud: Pick<Readable<T>, 'list'>, query: Readonly<Record<string, unknown>>) {
  return useQuery<T[]>({
    // Begins like the list's own key, so that what makes that stale makes this stale too.
    queryKey: [...keyOf(crud.list), 'every', query],
    queryFn: () => everyRow(crud.list, query),
  });
}
