/** The cached thread of a dialogue: load it, load older pages, and apply changes. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { readThread } from '../../contract.ts';
import { firstDelivered, mergeRefresh, prependPage, type Thread } from './thread.ts';

const PAGE_SIZE = 50;
/** The server's largest page; used to load history when one message is requested. */
const MAX_PAGE_SIZE = 200;
/** The most messages a refresh loads; up to this, it reloads as much as was loaded before. */
const MAX_REFRESH_SIZE = 1000;

type Change = (thread: Thread) => Thread;

/** Changes that arrive while their thread is being fetched: the response may be older than they are. */
const changesDuringFetch = new Map<number, Set<Change[]>>();

function threadKey(dialogueId: number): readonly unknown[] {
  return keyOf(readThread, { params: { id: dialogueId } });
}

/** @param poll milliseconds between fetches while no stream reports changes, else false. */
export function useThread(dialogueId: number, poll: number | false): UseQueryResult<Thread, Error> {
  return useQuery<Thread, Error>({
    queryKey: threadKey(dialogueId),
    queryFn: ({ signal }) => fetchThread(dialogueId, signal),
    // The stream may not have been followed while this dialogue was closed.
    staleTime: 0,
    refetchInterval: poll,
  });
}

/** Apply a change to the cached thread, and to a fetch in progress. */
export function updateThread(dialogueId: number, change: Change): void {
  for (const changes of changesDuringFetch.get(dialogueId) ?? []) changes.push(change);
  queryClient.setQueryData<Thread>(threadKey(dialogueId), (thread) => thread && change(thread));
}

/**
 * Load the page before the loaded run into the cache.
 *
 * @returns whether there are more messages before it.
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
 * Load history until the message is in the cache.
 *
 * @returns false if the dialogue has no such message.
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
