/** Loads what the page in the address needs before it is rendered. */
import { companies } from '../companies/contract.ts';
import { readChoice } from '../companies/pages/productSelection.ts';
import { products } from '../products/contract.ts';
import { browserHistory } from '../ui/history.ts';
import { parseId } from '../ui/page.ts';
import { queryClient, queryOf } from '../ui/query.ts';
import { startPage } from '../ui/startPage.ts';
import { findPage } from './registry.ts';

function pageInAddress() {
  const { page: key = startPage(), ...params } = Object.fromEntries(
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

/**
 * Request the selection, the rows that the address names, and the page's own data, once the operator is known to be
 * signed in: all at once, while the frame of the console is rendered.
 */
export function prefetchData(): void {
  const { page, params } = pageInAddress();
  const { companyId, productId } = readChoice(document.cookie);
  const queries = [
    ...(page?.rows ?? []).flatMap(({ param, query }) => {
      const id = parseId(params[param]);
      return id === null ? [] : query(id);
    }),
    page?.firstQuery?.(params),
    companyId === null ? undefined : queryOf(companies.get, { params: { id: companyId } }),
    productId === null ? undefined : queryOf(products.get, { params: { id: productId } }),
  ];
  for (const query of queries) if (query) void queryClient.prefetchQuery(query);
}
