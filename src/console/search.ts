/** Search by text: leads of the product by name and address, and products by name. */

import { contacts, leads } from '../leads/contract.ts';
import { products } from '../products/contract.ts';
import { call } from '../ui/api.ts';

const MAX_RESULTS = 6;

interface SearchResults {
  readonly leads: readonly { id: number; name: string; address: string | null }[];
  readonly products: readonly { id: number; name: string; company_id: number }[];
}

/** @param productId product whose leads are searched; null: no leads. */
export async function search(productId: number | null, text: string, signal?: AbortSignal): Promise<SearchResults> {
  const query = { search: text, limit: MAX_RESULTS, with_total: false };
  const ofProduct = productId === null ? null : { ...query, product_id: [productId] };
  const [byName, byAddress, productsByName] = await Promise.all([
    ofProduct ? call(leads.list, { query: ofProduct, signal }) : null,
    ofProduct ? call(contacts.list, { query: ofProduct, signal }) : null,
    call(products.list, { query, signal }),
  ]);
  const leadsByName = (byName?.items ?? []).map(({ id, name }) => ({ id, name, address: null }));
  const others = (byAddress?.items ?? []).filter((contact) => !leadsByName.some((one) => one.id === contact.lead_id));
  const leadsOfContacts = await Promise.all(
    others.map(async (contact) => {
      const lead = await call(leads.get, { params: { id: contact.lead_id }, signal });
      return { id: lead.id, name: lead.name, address: contact.contact };
    }),
  );
  return { leads: [...leadsByName, ...leadsOfContacts], products: productsByName.items };
}
