/**
 * The companies of products: the one cache of who owns what. It is cleared when any product moves or any right changes
 * on any node, and is not used while notifications are disconnected.
 */
import type { AppContext } from '../platform/appContext.ts';
import { findCompaniesOfProducts } from './store/scopes.ts';

/** Return the companies of those of these products that exist. */
export type CompaniesOfProducts = (products: ReadonlySet<number>) => Promise<ReadonlyMap<number, number>>;

/** Return the company of a product; null if there is no such product. */
export type CompanyOfProduct = (product: number) => Promise<number | null>;

export const companyOfProduct =
  (companiesOf: CompaniesOfProducts): CompanyOfProduct =>
  async (product) =>
    (await companiesOf(new Set([product]))).get(product) ?? null;

/** Create the cached look-up: a product's company hardly ever changes, and nearly every request names a product. */
export function createCompaniesOfProducts(context: AppContext): CompaniesOfProducts {
  const cache = new Map<number, number>();
  let generation = 0;
  const forget = () => {
    generation++;
    cache.clear();
  };
  context.notifications.on('access_changed', forget, forget);

  return async (products) => {
    const found = new Map<number, number>();
    const unknownIds: number[] = [];
    for (const id of products) {
      const company = context.notifications.isConnected ? cache.get(id) : undefined;
      if (company === undefined) unknownIds.push(id);
      else found.set(id, company);
    }
    if (unknownIds.length === 0) return found;
    const generationBefore = generation;
    for (const row of await findCompaniesOfProducts(context.pool, unknownIds)) {
      found.set(row.id, row.company_id);
      if (generationBefore === generation) cache.set(row.id, row.company_id);
    }
    return found;
  };
}
