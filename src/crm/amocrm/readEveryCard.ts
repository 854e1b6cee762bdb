/**
 * Read every card that matches a filter, although cards are edited, moved and deleted meanwhile. Pages by number would
 * lose some: a card that is edited leaves its place among those before the next page, which then begins one card later.
 * So the cursor is a time: always the first page of what was changed since then, oldest change first. What is edited
 * meanwhile comes again at the end; what is deleted or no longer matches leaves no gap.
 */

/** Which cards a page has. `to` is included. */
export interface CardWindow {
  readonly from: number;
  readonly to?: number;
  readonly order: 'updated_at' | 'id';
  readonly page: number;
}

interface CardPage {
  /** When each entry was changed, in the order of the page (unix seconds); null where it does not say. */
  readonly updatedAt: readonly (number | null)[];
  readonly hasNext: boolean;
}

type Outcome<Failure> = { readonly failure: Failure } | { readonly page: CardPage };

/**
 * A card that is edited while its page is put together has a time later than its place. One of the last would move the
 * cursor too far: the earliest of these last ones counts.
 */
const TAIL = 10;
/** A second with more pages than these is not believed. */
const MAX_PAGES = 400;

/**
 * Read the cards changed since `from`. `read` reads one page and applies it. Returns when the last of them was changed,
 * or the failure of a page; `'unsorted'` if the list is not by time, as if amoCRM ignored the filter.
 */
export async function readEveryCard<Failure>(
  from: number,
  read: (window: CardWindow) => Promise<Outcome<Failure>>,
  onProgress: (cursor: number) => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly failure: Failure | 'unsorted' } | { readonly until: number }> {
  let cursor = from;
  for (;;) {
    const outcome = await read({ from: cursor, order: 'updated_at', page: 1 });
    if ('failure' in outcome) return outcome;
    const times = outcome.page.updatedAt.filter((one) => one !== null);
    if (!outcome.page.hasNext || outcome.page.updatedAt.length === 0)
      return { until: Math.max(cursor, ...times.slice(-TAIL)) };
    const reached = Math.min(...times.slice(-TAIL));
    if (times.length === 0 || reached < cursor) return { failure: 'unsorted' };
    if (reached === cursor) {
      const failed = await readSecond(cursor, read);
      if (failed) return failed;
    }
    cursor = reached === cursor ? cursor + 1 : reached;
    await onProgress(cursor);
  }
}

/**
 * Read the cards that were changed within one second, of which there are more than a page has: forwards, then
 * backwards. Cards only leave this second; on the way back one that has moved up is on a page that is still to come.
 */
async function readSecond<Failure>(
  second: number,
  read: (window: CardWindow) => Promise<Outcome<Failure>>,
): Promise<{ readonly failure: Failure | 'unsorted' } | null> {
  const readPage = (page: number) => read({ from: second, to: second, order: 'id', page });
  let last = 1;
  for (;;) {
    const outcome = await readPage(last);
    if ('failure' in outcome) return outcome;
    if (!outcome.page.hasNext) break;
    if (++last > MAX_PAGES) return { failure: 'unsorted' };
  }
  for (let page = last - 1; page > 0; page--) {
    const outcome = await readPage(page);
    if ('failure' in outcome) return outcome;
  }
  return null;
}
