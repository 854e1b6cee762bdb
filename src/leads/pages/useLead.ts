import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { parseId, usePage } from '../../ui/page.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { type Lead, leads } from '../contract.ts';

interface LeadInView {
  /** Null when the address contains no valid id. */
  id: number | null;
  lead: Lead | undefined;
  /** The lead's name; until it is loaded, the name in the address. */
  name: string;
  error: Error | null;
  retry: () => void;
}

/** Load the lead that the address names by `leadId`. */
export function useLead(): LeadInView {
  const { params } = usePage();
  const id = parseId(params.leadId);
  const lead = { id: id ?? 0 };
  const query = useQuery<Lead>({
    queryKey: keyOf(leads.get, { params: lead }),
    queryFn: ({ signal }) => call(leads.get, { params: lead, signal }),
    enabled: id !== null,
    placeholderData: () => findInLists(id),
  });
  return {
    id,
    lead: query.data,
    name: query.data?.name ?? params.leadName ?? '',
    error: query.error,
    retry: () => void query.refetch(),
  };
}

/** Find the lead in lists fetched before, so that the page shows it at once when opened from a list. */
function findInLists(id: number | null): Lead | undefined {
  const lists = queryClient.getQueriesData<AnswerOf<typeof leads.list>>({ queryKey: keyOf(leads.list) });
  return lists.flatMap(([, list]) => list?.items ?? []).find((lead) => lead.id === id);
}
