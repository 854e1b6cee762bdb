import { usePage } from '../../kit/page.ts';
import { useEndpoint } from '../../kit/query.ts';
import { type Lead, leads } from '../contract.ts';

interface LeadInView {
  /** Null when the address names none, or nonsense. */
  id: number | null;
  lead: Lead | undefined;
  /** The lead's name; until it is known, what the address calls it. */
  name: string;
  error: Error | null;
  again: () => void;
}

/** The lead that the address names by `leadId`. */
export function useLead(): LeadInView {
  const { params } = usePage();
  const id = idIn(params.leadId);
  const query = useEndpoint(leads.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  return {
    id,
    lead: query.data,
    name: query.data?.name ?? params.leadName ?? '',
    error: query.error,
    again: () => void query.refetch(),
  };
}

/** A positive integer, or null. */
function idIn(param: string | undefined): number | null {
  const id = Number(param ?? '');
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
