/** The cached thread of a dialogue: load a window of it, extend it at both ends, and apply changes. */
import { type FetchQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../../platform/contract.ts';
import { ApiError, call } from '../../../ui/api.ts';
import { keyOf, PREFETCHED_FOR_MS, queryClient } from '../../../ui/query.ts';
import { readThread } from '../../contract.ts';
import { firstPage, PAGE_SIZE } from './firstPage.ts';
import { appendPage, deliveredIn, mergeRefresh, prependPage, type Thread } from './thread.ts';

/** The server's largest page. */
const MAX_PAGE_SIZE = 200;
/** The most messages a refresh loads; up to this, it reloads as much as was loaded before. */
const MAX_REFRESH_SIZE = 1000;

type Change = (thread: Thread) => Thread;
type Page = AnswerOf<typeof readThread>;

/** Changes that arrive while their thread is being fetched: the response may be older than they are. */
const changesDuringFetch = new Map<number, Set<Change[]>>();

function threadKey(dialogueId: number): readonly unknown[] {
  return keyOf(readThread, { params: { id: dialogueId } });
}

function cachedThread(dialogueId: number): Thread | undefined {
  return queryClient.getQueryData<Thread>(threadKey(dialogueId));
}

/**
 * @param target the message to load first, with those around it; null: the newest ones.
 * @param poll milliseconds between fetches while no stream reports changes, else false.
 */
export function useThread(dialogueId: number, target: number | null, poll: number | false): UseQueryResult<Thread> {
  return useQuery<Thread>({
    ...threadQuery(dialogueId, target),
    ...requestedAhead(dialogueId, target),
    refetchInterval: poll,
  });
}

/**
 * The messages that were requested before the page was there, if they have arrived: the thread is in the page's first
 * frame then, and the page is not rendered once without it.
 */
function requestedAhead(dialogueId: number, target: number | null) {
  const requested = queryClient.getQueryState<Page>(firstPage(dialogueId, target).queryKey);
  if (requested?.data === undefined || Date.now() - requested.dataUpdatedAt > PREFETCHED_FOR_MS) return {};
  return { initialData: { ...requested.data, anchor: target }, initialDataUpdatedAt: requested.dataUpdatedAt };
}

const threadQuery = (dialogueId: number, target: number | null): FetchQueryOptions<Thread> => ({
  queryKey: threadKey(dialogueId),
  queryFn: ({ signal }) => replayChanges(dialogueId, () => fetchThread(dialogueId, target, signal)),
  staleTime: PREFETCHED_FOR_MS,
});

/** Apply a change to the cached thread, and to a fetch in progress. */
export function updateThread(dialogueId: number, change: Change): void {
  for (const changes of changesDuringFetch.get(dialogueId) ?? []) changes.push(change);
  queryClient.setQueryData<Thread>(threadKey(dialogueId), (thread) => thread && change(thread));
}

/** Load the page before or after the window into the cache. */
export async function loadPage(dialogueId: number, side: 'before' | 'after'): Promise<void> {
  const edgeOf = (thread: Thread | undefined) => thread && deliveredIn(thread).at(side === 'before' ? 0 : -1)?.id;
  const edge = edgeOf(cachedThread(dialogueId));
  if (edge === undefined) return;
  const thread = await replayChanges(dialogueId, async () => {
    const page = await readPage(dialogueId, { [side]: edge, limit: PAGE_SIZE });
    const current = cachedThread(dialogueId);
    // Another window was loaded meanwhile.
    if (!current || edgeOf(current) !== edge) return current;
    return side === 'before' ? prependPage(current, page) : appendPage(current, page);
  });
  queryClient.setQueryData<Thread>(threadKey(dialogueId), thread);
}

/**
 * Load a message with those around it, unless it is in the cache.
 *
 * @returns false if the dialogue has no such message.
 */
export async function loadAround(dialogueId: number, messageId: number): Promise<boolean> {
  if (cachedThread(dialogueId)?.items.some((item) => item.id === messageId)) return true;
  const window = await replayChanges(dialogueId, () => readAround(dialogueId, { around: messageId, size: PAGE_SIZE }));
  if (window) replaceThread(dialogueId, window);
  return window !== undefined;
}

/** Replace the window by the newest messages. */
export async function loadLatest(dialogueId: number): Promise<void> {
  replaceThread(dialogueId, await replayChanges(dialogueId, () => readNewest(dialogueId, PAGE_SIZE)));
}

/** Store another window. A fetch in progress would bring the former one back. */
function replaceThread(dialogueId: number, window: Thread): void {
  void queryClient.cancelQueries({ queryKey: threadKey(dialogueId) });
  queryClient.setQueryData<Thread>(threadKey(dialogueId), window);
}

/** Load a thread, and apply the changes that arrived meanwhile. */
async function replayChanges<T extends Thread | undefined>(
  dialogueId: number,
  load: () => Promise<T>,
): Promise<T | Thread> {
  const changes: Change[] = [];
  const activeFetches = changesDuringFetch.get(dialogueId) ?? new Set<Change[]>();
  changesDuringFetch.set(dialogueId, activeFetches.add(changes));
  try {
    const loaded = await load();
    return loaded && changes.reduce<Thread>((thread, change) => change(thread), loaded);
  } finally {
    activeFetches.delete(changes);
    if (activeFetches.size === 0) changesDuringFetch.delete(dialogueId);
  }
}

/** Load the first window, or refresh the one that is cached. */
async function fetchThread(dialogueId: number, target: number | null, signal: AbortSignal): Promise<Thread> {
  const current = cachedThread(dialogueId);
  const window = current ? await readAgain(dialogueId, current, signal) : await readFirst(dialogueId, target);
  return mergeRefresh(cachedThread(dialogueId), window);
}

/** Read the first page, which may have been requested before; the newest messages if `target` does not exist. */
async function readFirst(dialogueId: number, target: number | null): Promise<Thread> {
  const query = firstPage(dialogueId, target);
  const page = await unlessMissing(queryClient.fetchQuery({ ...query, staleTime: PREFETCHED_FOR_MS }));
  queryClient.removeQueries({ queryKey: query.queryKey, exact: true });
  return page ? { ...page, anchor: target } : readNewest(dialogueId, PAGE_SIZE);
}

async function readAgain(dialogueId: number, current: Thread, signal: AbortSignal): Promise<Thread> {
  const size = Math.max(PAGE_SIZE, current.items.length);
  const around = middleOf(current);
  const window = around === null ? undefined : await readAround(dialogueId, { around, size, signal });
  return window ?? readNewest(dialogueId, size, signal);
}

/** Return the message around which to refresh a window; null if the window reaches the newest messages. */
function middleOf(thread: Thread): number | null {
  const delivered = deliveredIn(thread);
  return thread.has_newer ? (delivered[Math.floor(delivered.length / 2)]?.id ?? null) : null;
}

type PageQuery = { limit: number } & Partial<Record<'before' | 'after' | 'around', number>>;

const readPage = (dialogueId: number, query: PageQuery, signal?: AbortSignal) =>
  call(readThread, { params: { id: dialogueId }, query, signal });

/** Undefined if the dialogue has no such message. */
async function readAround(
  dialogueId: number,
  { around, size, signal }: { around: number; size: number; signal?: AbortSignal | undefined },
): Promise<Thread | undefined> {
  const query = { around, limit: Math.min(size, MAX_PAGE_SIZE) };
  const page = await unlessMissing(readPage(dialogueId, query, signal));
  return page && { ...page, anchor: around };
}

async function unlessMissing<T>(page: Promise<T>): Promise<T | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function readNewest(dialogueId: number, size: number, signal?: AbortSignal): Promise<Thread> {
  const targetLength = Math.min(size, MAX_REFRESH_SIZE);
  const newest = await readPage(dialogueId, { limit: Math.min(targetLength, MAX_PAGE_SIZE) }, signal);
  let window: Thread = { ...newest, anchor: null };
  while (window.has_more && window.items.length < targetLength) {
    const [first] = deliveredIn(window);
    if (!first) break;
    window = prependPage(window, await readPage(dialogueId, { before: first.id, limit: MAX_PAGE_SIZE }, signal));
  }
  return window;
}
