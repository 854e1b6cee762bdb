import { useEndpoint } from '../../../ui/query.ts';
import { countInbox } from '../../contract.ts';

/** Return how many leads need the operator, over all products; 0 until it is known. */
export function useNeedsMeCount(): number {
  return useEndpoint(countInbox, { query: {} }, { keepPrevious: true }).data?.needs_me ?? 0;
}
