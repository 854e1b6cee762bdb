/** The cached thread of a dialogue: reading it, reading further back, and telling it what is new. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../kit/api.ts';
import { keyOf, queryClient } from '../../../kit/query.ts';
import { readThread } from '../../contract.ts';
import { firstPlaced, prependPage, refreshRun, type Thread } from './thread.ts';

const PAGE = 50;
/** The most the server gives at once; history is read in such steps when one message is looked for. */
const LARGEST_PAGE = 200;
/** A reading after a break goes back as far as the thread was loaded, within reason. */
const LONGEST_REFRESH = 1000;

type Change = (thread: Thread) => Thread;

/** Changes that came while a reading of their thread was under way: it may be older than they are. */
const heard = new Map<number, Set<Change[]>>();

function threadKey(dialogueId: number): readonly unknown[] {
  return keyOf(readThread, { params: { id: dialogueId } });
}

/** @param poll milliseconds between readings while nothing tells us what is new, else false. */
export function useThread(dialogueId: number, poll: number | false): UseQueryResult<Thread, Error> {
  return useQuery<Thread, Error>({
    queryKey: threadKey(dialogueId),
    queryFn: ({ signal }) => readRun(dialogueId, signal),
    // Nobody may have listened to the stream while this dialogue was not open.
    staleTime: 0,
    refetchInterval: poll,
  });
}

/** Applies a change to the cached thread, and to the reading that is under way. */
export function tellThread(dialogueId: number, change: Change): void {
  for (const journal of heard.get(dialogueId) ?? []) journal.push(change);
  queryClient.setQueryData<Thread>(threadKey(dialogueId), (thread) => thread && change(thread));
}

/**
 * Reads the page before the loaded run into the cache.
 *
 * @returns whether there is more before it.
 */
export async function loadOlder(dialogueId: number, limit: number = PAGE): Promise<boolean> {
  const thread = queryClient.getQueryData<Thread>(threadKey(dialogueId));
  const first = thread && firstPlaced(thread);
  if (!thread?.has_more || !first) return false;
  const page = await call(readThread, { params: { id: dialogueId }, query: { before: first.id, limit } });
  tellThread(dialogueId, (known) => (firstPlaced(known)?.id === first.id ? prependPage(known, page) : known));
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
    await loadOlder(dialogueId, LARGEST_PAGE);
    const after = queryClient.getQueryData<Thread>(threadKey(dialogueId))?.items.length ?? 0;
    if (after <= before) return false;
  }
}

async function readRun(dialogueId: number, signal: AbortSignal): Promise<Thread> {
  const journal: Change[] = [];
  const journals = heard.get(dialogueId) ?? new Set<Change[]>();
  heard.set(dialogueId, journals.add(journal));
  try {
    const loaded = queryClient.getQueryData<Thread>(threadKey(dialogueId))?.items.length ?? 0;
    const wanted = Math.min(Math.max(PAGE, loaded), LONGEST_REFRESH);
    const params = { id: dialogueId };
    let run: Thread = await call(readThread, { params, query: { limit: Math.min(wanted, LARGEST_PAGE) }, signal });
    while (run.has_more && run.items.length < wanted) {
      const before = firstPlaced(run)?.id;
      if (before === undefined) break;
      run = prependPage(run, await call(readThread, { params, query: { before, limit: LARGEST_PAGE }, signal }));
    }
    const known = queryClient.getQueryData<Thread>(threadKey(dialogueId));
    return journal.reduce((thread, change) => change(thread), refreshRun(known, run));
  } finally {
    journals.delete(journal);
    if (journals.size === 0) heard.delete(dialogueId);
  }
}
