/** Undo of saved product settings. */
import type { QueryClient } from '@tanstack/react-query';
import { call, ifMatchOf } from '../../ui/api.ts';
import { namesKey } from '../../ui/optionSource.ts';
import type { Undo } from '../../ui/pageContext.ts';
import { keyOf, queryClient, setCachedAnswer } from '../../ui/query.ts';
import { type Draft, settingUndo, viewRefsById } from '../../ui/undo.ts';
import { type Product, productLlm, products } from '../contract.ts';
import { type Settings, settingsOf } from './settings.ts';

interface MountedPage extends Draft<Settings> {
  readonly onSaved: (now: Product) => void;
}

/** The open page, by the product's id. */
export const settingsView = viewRefsById<MountedPage>();

/** Build the request body from the settings; the product's company and CRM id stay. */
export function bodyOf(settings: Settings, { company_id, crm_id }: Pick<Product, 'company_id' | 'crm_id'>) {
  return products.update.parse({ ...settingsOf(settings), company_id, crm_id });
}

/** Update a changed product in every cached answer that shows it. */
export function cacheProduct(cache: QueryClient, now: Product): void {
  setCachedAnswer(cache, keyOf(products.get, { params: { id: now.id } }), now);
  for (const key of [keyOf(products.list), keyOf(productLlm), namesKey(products)])
    void cache.invalidateQueries({ queryKey: key });
}

/** Create the undo of a save that changed `before` to `after`. */
export function settingsUndo(product: Product, before: Settings, after: Settings): Undo {
  const params = { id: product.id };
  const view = settingsView(product.id);
  // As the server returns it: a name is stored without surrounding blanks.
  const storedAfter = settingsOf(bodyOf(after, product));
  return settingUndo(view, storedAfter, {
    after: storedAfter,
    read: async () => settingsOf(await call(products.get, { params })),
    restore: async () => {
      const stored = await call(products.get, { params });
      const now = await call(products.replace, { params, body: bodyOf(before, stored), ifMatch: ifMatchOf(stored) });
      cacheProduct(queryClient, now);
      view.current?.onSaved(now);
    },
  });
}
