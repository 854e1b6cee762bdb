/** Works on many items together so that one for which that fails does not keep the others from it. */
import { isTooSlow, isUnavailable } from './db.ts';

interface Halving<Item, Result> {
  /** Work on items, all or none. */
  readonly work: (items: readonly Item[]) => Promise<Result>;
  /** Set aside the item for which the work fails. */
  readonly onFailure: (item: Item, error: unknown) => Promise<Result>;
}

/**
 * Work on items together. If it fails, each half is tried by itself, until the item for which it fails is alone. Returns
 * the results of the parts, in order. Throws if the database is unavailable, or too slow: no item is the cause of that.
 */
export async function inHalves<Item, Result>(
  items: readonly Item[],
  halving: Halving<Item, Result>,
): Promise<Result[]> {
  if (items.length === 0) return [];
  try {
    return [await halving.work(items)];
  } catch (error) {
    return tryHalves(error, items, halving);
  }
}

/**
 * Go on after work for items has failed with `error`, as `inHalves` does. For work that finds its items itself: it is
 * not known before for which ones it fails. Throws `error` if there are none.
 */
export async function tryHalves<Item, Result>(
  error: unknown,
  items: readonly Item[],
  halving: Halving<Item, Result>,
): Promise<Result[]> {
  const [item, ...others] = items;
  if (isUnavailable(error) || isTooSlow(error) || item === undefined) throw error;
  if (others.length === 0) return [await halving.onFailure(item, error)];
  const middle = Math.ceil(items.length / 2);
  const first = await inHalves(items.slice(0, middle), halving);
  return [...first, ...(await inHalves(items.slice(middle), halving))];
}
