/** Reading and writing through the contract with TanStack Query. */
import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
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

type Args<E extends Endpoint> = Omit<CallArgs<E>, 'signal' | 'body'>;

interface EndpointOptions {
  enabled?: boolean;
  /** Milliseconds. */
  refetchInterval?: number | false;
  staleTime?: number;
  refetchOnWindowFocus?: boolean;
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
