import { call } from '../../../ui/api.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { type BulkAction, runBulk } from '../../bulkContract.ts';
import { eventsOfLead, type Lead, leadEvents, leads } from '../../contract.ts';
import { leadFacets } from '../../listContract.ts';

export type MarkAction = Extract<BulkAction, { kind: 'change_tags' | 'set_owner' }>;

/** Change tags or owner of a lead, and show it wherever the lead is shown. */
export async function markLead(id: number, action: MarkAction): Promise<Lead> {
  await call(runBulk, { body: { ids: [id], action } });
  const lead = await call(leads.get, { params: { id } });
  queryClient.setQueryData(keyOf(leads.get, { params: { id } }), lead);
  for (const endpoint of [leads.list, leadFacets, eventsOfLead, leadEvents])
    void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
  return lead;
}
