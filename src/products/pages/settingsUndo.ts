/** How settings of a product that were stored are taken back. */
import type { QueryClient } from '@tanstack/react-query';
import { call, tagOf } from '../../kit/api.ts';
import type { Undo } from '../../kit/pageContext.ts';
import { keyOf, putAnswer, queryClient } from '../../kit/query.ts';
import { namesKey } from '../../kit/source.ts';
import { type Draft, settingUndo, viewsById } from '../../kit/undo.ts';
import { type Product, productLlm, products } from '../contract.ts';
import { type Settings, settingsOf } from './settings.ts';

interface InPage extends Draft<Settings> {
  readonly took: (now: Product) => void;
}

/** The page, by the product's id. */
export const settingsView = viewsById<InPage>();

/** What is sent of the settings; where the product belongs stays as it is. */
export function bodyOf(
  { name, is_active, timezone, config, reply_hours }: Settings,
  { company_id, crm_id }: Pick<Product, 'company_id' | 'crm_id'>,
) {
  return products.update.parse({ name, is_active, timezone, config, reply_hours, company_id, crm_id });
}

/** Puts a changed product wherever it is shown. */
export function cacheProduct(cache: QueryClient, now: Product): void {
  putAnswer(cache, keyOf(products.get, { params: { id: now.id } }), now);
  for (const key of [keyOf(products.list), keyOf(productLlm), namesKey(products)])
    void cache.invalidateQueries({ queryKey: key });
}

/** Undo of what was stored: `before` was, `kept` is. */
export function settingsUndo(product: Product, before: Settings, kept: Settings): Undo {
  const params = { id: product.id };
  const view = settingsView(product.id);
  // As it comes back: a name is stored without blanks around it.
  const left = settingsOf(bodyOf(kept, product));
  return settingUndo(view, left, {
    left,
    read: async () => settingsOf(await call(products.get, { params })),
    putBack: async () => {
      const stored = await call(products.get, { params });
      const now = await call(products.replace, { params, body: bodyOf(before, stored), ifMatch: tagOf(stored) });
      cacheProduct(queryClient, now);
      view.now?.took(now);
    },
  });
}
