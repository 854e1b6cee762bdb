import type { Endpoint } from '../../platform/contract.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';

/** Callbacks of a call that answers with what `read` reads now: show the answer there, or the failure. */
export const showIn = (read: Endpoint, onDone?: () => void) => ({
  onSuccess: (answer: unknown) => {
    queryClient.setQueryData([...keyOf(read), {}], answer);
    onDone?.();
  },
  onError: toast.failure,
});
