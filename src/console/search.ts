/** What is found by a few letters: leads of the product by name and by address, and products by name. */
import { call } from '../kit/api.ts';
import { contacts, leads } from '../leads/contract.ts';
import { products } from '../products/contract.ts';

const FOUND = 6;

interface Found {
  readonly leads: readonly { id: number; name: string; address: string | null }[];
  readonly products: readonly { id: number; name: string; company_id: number }[];
}

/** @param productId whose leads; null: nobody's. */
export async function search(productId: number | null, text: string, signal?: AbortSignal): Promise<Found> {
  const query = { search: text, limit: FOUND, with_total: false };
  const ofProduct = productId === null ? null : { ...query, product_id: [productId] };
  const [byName, byAddress, named] = await Promise.all([
    ofProduct ? call(leads.list, { query: ofProduct, signal }) : null,
    ofProduct ? call(contacts.list, { query: ofProduct, signal }) : null,
    call(products.list, { query, signal }),
  ]);
  const people = (byName?.items ?? []).map(({ id, name }) => ({ id, name, address: null }));
  const others = (byAddress?.items ?? []).filter((contact) => !people.some((one) => one.id === contact.lead_id));
  const leadsOfContacts = await Promise.all(
    others.map(async (contact) => {
      const lead = await call(leads.get, { params: { id: contact.lead_id }, signal });
      return { id: lead.id, name: lead.name, address: contact.contact };
    }),
  );
  return { leads: [...people, ...leadsOfContacts], products: named.items };
}
