/** Loads the messengers of the leads in a list, in one call for all rows. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { createBatchLoader } from '../../ui/batchLoader.ts';
import { keyOf } from '../../ui/query.ts';
import { type ContactType, contacts, contactTypes } from '../contract.ts';

/** Maximum rows and ids in one request to the server. */
const MAX_IDS = 100;

/**
 * Load the messengers on which a lead can be reached, in the order of the contract. Refetched with every list of
 * contacts.
 */
export function useMessengers(leadId: number): UseQueryResult<readonly ContactType[]> {
  return useQuery({
    queryKey: [...keyOf(contacts.list), 'messengers', leadId],
    queryFn: () => messengersOf(leadId),
  });
}

const messengersOf = createBatchLoader(readMessengers, MAX_IDS);

async function readMessengers(leadIds: readonly number[]): Promise<ReadonlyMap<number, readonly ContactType[]>> {
  const typesByLead = new Map<number, Set<ContactType>>(leadIds.map((id) => [id, new Set()]));
  for (let page = 1; ; page++) {
    const query = { lead_id: [...leadIds], limit: MAX_IDS, page, order_by: 'id' };
    const list = await call(contacts.list, { query });
    for (const contact of list.items) typesByLead.get(contact.lead_id)?.add(contact.contact_type);
    if (page * MAX_IDS >= (list.total ?? 0)) break;
  }
  return new Map([...typesByLead].map(([id, types]) => [id, contactTypes.filter((type) => types.has(type))]));
}
