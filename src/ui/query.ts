/** Read and write through the contract with TanStack Query. */
import {
  hashKey,
  keepPreviousData,
  notifyManager,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AnswerOf, Endpoint } from '../platform/contract.ts';
import { ApiError, type ArgsTail, type CallArgs, call } from './api.ts';

/**
 * How long data requested ahead of its page may be used by it. For data that is otherwise read on each opening, because
 * it may have changed while no stream reported it.
 */
export const PREFETCHED_FOR_MS = 2000;

/** The query cache of this browser tab. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream reports changes, so focus and mount alone refetch nothing.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Retry only after a network failure, because a refused request would be refused again.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.status === 0,
      retryDelay: 1000,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Deliver all responses of one task together. Delivered one by one, a list of a hundred rows that each wait for a
// response would cause a hundred nested renders, and React stops after fifty.
let pendingNotifications: (() => void)[] = [];
notifyManager.setScheduler((notify) => {
  if (pendingNotifications.push(notify) > 1) return;
  setTimeout(() => {
    const now = pendingNotifications;
    pendingNotifications = [];
    for (const one of now) {
      try {
        one();
      } catch (error) {
        reportError(error);
      }
    }
  });
});

type Args<E extends Endpoint> = Omit<CallArgs<E>, 'signal' | 'body'>;

interface EndpointOptions {
  enabled?: boolean;
  /** Milliseconds. */
  refetchInterval?: number | false;
  staleTime?: number;
  refetchOnWindowFocus?: boolean;
  refetchOnMount?: 'always';
  /** Keep showing the previous page while the next one loads. For lists. */
  keepPrevious?: boolean;
}

/**
 * Return the cache key of an endpoint's response. Without `args` it is the prefix for all of them, for
 * `invalidateQueries`.
 */
export function keyOf<E extends Endpoint>(endpoint: E, args?: Args<E>): readonly unknown[] {
  const name = `${endpoint.method} ${endpoint.path}`;
  return args === undefined ? [name] : [name, args];
}

/** Return the query of a GET endpoint's response, for the cache. */
export function queryOf<E extends Endpoint>(endpoint: E, args: Args<E>) {
  return {
    queryKey: keyOf(endpoint, args),
    queryFn: ({ signal }: { signal: AbortSignal }) => call<E>(endpoint, ...tail<E>({ ...args, signal })),
  };
}

/** Read a GET endpoint. Pass `enabled: false` while the args are not ready. */
export function useEndpoint<E extends Endpoint>(
  endpoint: E,
  args: Args<E>,
  options: EndpointOptions = {},
): UseQueryResult<AnswerOf<E>> {
  const { keepPrevious, ...rest } = options;
  return useQuery<AnswerOf<E>>({
    ...queryOf(endpoint, args),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...rest,
  });
}

/** Options for a query whose response is edited: it is refetched each time the page opens. */
export const ALWAYS_REFETCH = { staleTime: 0, refetchOnMount: 'always' } as const;

type FreshQuery<T> = Pick<UseQueryResult<T>, 'error' | 'refetch'> & { readonly data: T | undefined };

/**
 * Return a query's data only once it has been fetched since the page opened. Editing older data would undo later
 * changes.
 */
export function useFreshData<T>(query: UseQueryResult<T>, key: readonly unknown[]): FreshQuery<T> {
  const queryHash = hashKey(key);
  const [loadedHash, setLoadedHash] = useState<string | null>(null);
  // A later fetch may fail; the data on the page stays.
  const isLoaded = loadedHash === queryHash || (query.isFetchedAfterMount && query.isSuccess);
  if (isLoaded && loadedHash !== queryHash) setLoadedHash(queryHash);
  return { data: isLoaded ? query.data : undefined, error: query.error, refetch: query.refetch };
}

/** Read a GET endpoint whose response is edited. */
export function useFreshQuery<E extends Endpoint>(
  endpoint: E,
  args: Args<E>,
  { enabled = true }: { enabled?: boolean } = {},
): FreshQuery<AnswerOf<E>> {
  return useFreshData(useEndpoint(endpoint, args, { ...ALWAYS_REFETCH, enabled }), keyOf(endpoint, args));
}

/** Put the response of a write into the cache. A read in progress may return older data, so it is cancelled. */
export function setCachedAnswer(cache: QueryClient, key: readonly unknown[], now: unknown): void {
  void cache.cancelQueries({ queryKey: key, exact: true });
  cache.setQueryData(key, now);
}

/** Log a failure that the page can do without, once. */
export function useLogError(error: Error | null, what: string): void {
  useEffect(() => {
    if (error !== null) console.warn(what, error);
  }, [error, what]);
}

/**
 * Write through an endpoint: `const change = useCall(changeStage); change.mutate({ params: { id }, query })`. Calls that
 * share `queue` are sent one after another.
 */
export function useCall<E extends Endpoint>(
  endpoint: E,
  { queue }: { queue?: string } = {},
): UseMutationResult<AnswerOf<E>, Error, ArgsTail<E>[0]> {
  return useMutation<AnswerOf<E>, Error, ArgsTail<E>[0]>({
    mutationFn: (args) => call<E>(endpoint, ...tail<E>(args)),
    ...(queue === undefined ? {} : { scope: { id: queue } }),
  });
}

/** Build the argument list of `call`. Its length depends on a type that is unresolved inside a generic function. */
function tail<E extends Endpoint>(args: unknown): ArgsTail<E> {
  return [args] as unknown as ArgsTail<E>;
}
