/** The ids of everything that a list finds. */
import { call } from './api.ts';
import type { Readable, Row } from './resource.ts';
import { t } from './t.ts';

const PER_CALL = 100;
/** More at once belongs into several narrower selections. */
export const MOST_SELECTED = 10_000;

/** Throws when they are more than one selection holds. */
export async function allIds<T extends Row>(
  list: Readable<T>['list'],
  query: Readonly<Record<string, unknown>>,
): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; ; page++) {
    const asked = { ...query, page, limit: PER_CALL, order_by: 'id', order: 'asc', with_total: false };
    const { items } = await call(list, { query: asked });
    ids.push(...items.map((row) => row.id));
    if (ids.length > MOST_SELECTED)
      throw new Error(t('At most {{most}} at once. Narrow the list.', { most: MOST_SELECTED }));
    if (items.length < PER_CALL) return ids;
  }
}
