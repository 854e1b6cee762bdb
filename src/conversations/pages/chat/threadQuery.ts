/** The cached thread of a dialogue: reading it, reading further back, and telling it what is new. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { readThread } from '../../contract.ts';
import { firstDelivered, mergeRefresh, prependPage, type Thread } from './thread.ts';

const PAGE_SIZE = 50;
/** The most the server gives at once; history is read in such steps when one message is looked for. */
const MAX_PAGE_SIZE = 200;
/** A reading after a break goes back as far as the thread was loaded, within reason. */
const MAX_REFRESH_SIZE = 1000;

type Change = (thread: Thread) => Thread;

/** Changes that came while a reading of their thread was under way: it may be older than they are. */
const changesDuringFetch = new Map<number, Set<Change[]>>();

function threadKey(dialogueId: number): readonly unknown[] {
  return keyOf(readThread, { params: { id: dialogueId } });
}

/** @param poll milliseconds between readings while nothing tells us what is new, else false. */
export function useThread(dialogueId: number, poll: number | false): UseQueryResult<Thread, Error> {
  return useQuery<Thread, Error>({
    queryKey: threadKey(dialogueId),
    queryFn: ({ signal }) => fetchThread(dialogueId, signal),
    // Nobody may have listened to the stream while this dialogue was not open.
    staleTime: 0,
    refetchInterval: poll,
  });
}

/** Applies a change to the cached thread, and to the reading that is under way. */
export function updateThread(dialogueId: number, change: Change): void {
  for (const changes of changesDuringFetch.get(dialogueId) ?? []) changes.push(change);
  queryClient.setQueryData<Thread>(threadKey(dialogueId), (thread) => thread && change(thread));
}

/**
 * Reads the page before the loaded run into the cache.
 *
 * @returns whether there is more before it.
 */
export async function loadOlder(dialogueId: number, limit: number = PAGE_SIZE): Promise<boolean> {
  const thread = queryClient.getQueryData<Thread>(threadKey(dialogueId));
  const first = thread && firstDelivered(thread);
  if (!thread?.has_more || !first) return false;
  const page = await call(readThread, { params: { id: dialogueId }, query: { before: first.id, limit } });
  updateThread(dialogueId, (current) =>
    firstDelivered(current)?.id === first.id ? prependPage(current, page) : current,
  );
  return page.has_more;
}

/**
 * Loads history until the message is in the cache.
 *
 * @returns false when the dialogue has no such message.
 */
export async function loadUntil(dialogueId: number, messageId: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const thread = queryClient.getQueryData<Thread>(threadKey(dialogueId));
    if (!thread || signal.aborted) return true;
    if (thread.items.some((item) => item.id === messageId)) return true;
    if (!thread.has_more) return false;
    const before = thread.items.length;
    await loadOlder(dialogueId, MAX_PAGE_SIZE);
    const after = queryClient.getQueryData<Thread>(threadKey(dialogueId))?.items.length ?? 0;
    if (after <= before) return false;
  }
}

async function fetchThread(dialogueId: number, signal: AbortSignal): Promise<Thread> {
  const changes: Change[] = [];
  const activeFetches = changesDuringFetch.get(dialogueId) ?? new Set<Change[]>();
  changesDuringFetch.set(dialogueId, activeFetches.add(changes));
  try {
    const loaded = queryClient.getQueryData<Thread>(threadKey(dialogueId))?.items.length ?? 0;
    const targetLength = Math.min(Math.max(PAGE_SIZE, loaded), MAX_REFRESH_SIZE);
    const params = { id: dialogueId };
    let fetched: Thread = await call(readThread, {
      params,
      query: { limit: Math.min(targetLength, MAX_PAGE_SIZE) },
      signal,
    });
    while (fetched.has_more && fetched.items.length < targetLength) {
      const before = firstDelivered(fetched)?.id;
      if (before === undefined) break;
      fetched = prependPage(
        fetched,
        await call(readThread, { params, query: { before, limit: MAX_PAGE_SIZE }, signal }),
      );
    }
    const current = queryClient.getQueryData<Thread>(threadKey(dialogueId));
    return changes.reduce((thread, change) => change(thread), mergeRefresh(current, fetched));
  } finally {
    activeFetches.delete(changes);
    if (activeFetches.size === 0) changesDuringFetch.delete(dialogueId);
  }
}
