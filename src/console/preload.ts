/** Loads what the page in the address needs while the session and the selection are still being checked. */
import { browserHistory } from '../ui/history.ts';
import { parseId } from '../ui/page.ts';
import { queryClient } from '../ui/query.ts';
import { DEFAULT_PAGE, findPage } from './registry.ts';

function pageInAddress() {
  const { page: key = DEFAULT_PAGE, ...params } = Object.fromEntries(
    new URLSearchParams(browserHistory().location.search),
  );
  return { page: findPage(key), params };
}

/** Load the code of the page. A failure is reported when the page is rendered. */
export function preloadCode(): void {
  pageInAddress()
    .page?.load()
    .catch(() => undefined);
}

/** Request the rows that the address names, and the page's own data, once the operator is known to be signed in. */
export function prefetchData(): void {
  const { page, params } = pageInAddress();
  for (const { param, query } of page?.rows ?? []) {
    const id = parseId(params[param]);
    if (id !== null) void queryClient.prefetchQuery(query(id));
  }
  page?.prefetch?.(params).catch(() => undefined);
}
