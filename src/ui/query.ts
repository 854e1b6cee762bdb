/** Reading and writing through the contract with TanStack Query. */
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

/** The one cache of the browser tab. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream says what changed; focus and mount alone ask for nothing.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Only a lost network is worth one more try: what the server refuses it refuses again.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.status === 0,
      retryDelay: 1000,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Answers of one moment are shown in one go. One by one, a list of a hundred rows that each wait for one were a hundred
// renders within each other, and React gives up after fifty.
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
  /** Keep showing the former page while the next one loads. For lists. */
  keepPrevious?: boolean;
}

/** Key of a cached answer; without `args` it is the prefix of every answer of the endpoint, for `invalidateQueries`. */
export function keyOf<E extends Endpoint>(endpoint: E, args?: Args<E>): readonly unknown[] {
  const name = `${endpoint.method} ${endpoint.path}`;
  return args === undefined ? [name] : [name, args];
}

/** Reads a GET endpoint. Args that are not ready yet go with `enabled: false`. */
export function useEndpoint<E extends Endpoint>(
  endpoint: E,
  args: Args<E>,
  options: EndpointOptions = {},
): UseQueryResult<AnswerOf<E>> {
  const { keepPrevious, ...rest } = options;
  return useQuery<AnswerOf<E>>({
    queryKey: keyOf(endpoint, args),
    queryFn: ({ signal }) => call<E>(endpoint, ...tail<E>({ ...args, signal })),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...rest,
  });
}

/** Of a query whose answer is edited: it is read anew at each visit. */
export const ALWAYS_REFETCH = { staleTime: 0, refetchOnMount: 'always' } as const;

type FreshQuery<T> = Pick<UseQueryResult<T>, 'error' | 'refetch'> & { readonly data: T | undefined };

/** Its data from the first reading of this visit on: who edits an older answer undoes what was changed since. */
export function useFreshData<T>(query: UseQueryResult<T>, key: readonly unknown[]): FreshQuery<T> {
  const queryHash = hashKey(key);
  const [loadedHash, setLoadedHash] = useState<string | null>(null);
  // Later readings may fail: what stands on the page stays.
  const isLoaded = loadedHash === queryHash || (query.isFetchedAfterMount && query.isSuccess);
  if (isLoaded && loadedHash !== queryHash) setLoadedHash(queryHash);
  return { data: isLoaded ? query.data : undefined, error: query.error, refetch: query.refetch };
}

/** A GET endpoint whose answer is edited. */
export function useFreshQuery<E extends Endpoint>(
  endpoint: E,
  args: Args<E>,
  { enabled = true }: { enabled?: boolean } = {},
): FreshQuery<AnswerOf<E>> {
  return useFreshData(useEndpoint(endpoint, args, { ...ALWAYS_REFETCH, enabled }), keyOf(endpoint, args));
}

/** Puts what a write has answered where it is read. A reading that is under way may be older: it is given up. */
export function setCachedAnswer(cache: QueryClient, key: readonly unknown[], now: unknown): void {
  void cache.cancelQueries({ queryKey: key, exact: true });
  cache.setQueryData(key, now);
}

/** Logs a failure that the page does without, once. */
export function useLogError(error: Error | null, what: string): void {
  useEffect(() => {
    if (error !== null) console.warn(what, error);
  }, [error, what]);
}

/** Writes through an endpoint: `const change = useCall(changeStage); change.mutate({ params: { id }, query })`. */
export function useCall<E extends Endpoint>(endpoint: E): UseMutationResult<AnswerOf<E>, Error, ArgsTail<E>[0]> {
  return useMutation<AnswerOf<E>, Error, ArgsTail<E>[0]>({
    mutationFn: (args) => call<E>(endpoint, ...tail<E>(args)),
  });
}

/** The argument list of `call`, whose length depends on a type that is unresolved in a generic function. */
function tail<E extends Endpoint>(args: unknown): ArgsTail<E> {
  return [args] as unknown as ArgsTail<E>;
}
