/** The rows and counts of the inbox as the console caches them, kept current by the stream of the inbox. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { z } from 'zod';
import type { Dialogue } from '../../conversations/contract.ts';
import { liveEvent, streamLiveEvents } from '../../live/contract.ts';
import { endpointUrl } from '../../platform/endpointUrl.ts';
import { call } from '../../ui/api.ts';
import { type LiveState, useLive } from '../../ui/live.ts';
import { keyOf, queryClient, useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { countInbox, type InboxView, inboxViews, listInbox } from '../contract.ts';
import { appendRows, type LoadedRows, placeRow, removeRow } from './inboxRows.ts';

/** Rows of one request, and of the first view. */
const PAGE_SIZE = 50;
/** The server's largest page: a refresh reads as much as is loaded. */
const MAX_PAGE_SIZE = 100;
/** Shortest interval between two refreshes of rows and of counts while events arrive. */
const ROWS_REFETCH_MS = 2000;
const COUNTS_REFETCH_MS = 400;

/** What a list of the inbox shows. */
export interface InboxQuery {
  readonly view: InboxView;
  readonly product_id: number | undefined;
  readonly company_id: number | undefined;
  readonly search: string | undefined;
}

const queryShape = z.object({
  view: z.enum(inboxViews),
  product_id: z.number().optional(),
  company_id: z.number().optional(),
  search: z.string().optional(),
});

const rowsKey = (query: InboxQuery) => keyOf(listInbox, { query });

const readPage = (query: InboxQuery, page: number, limit: number) =>
  call(listInbox, { query: { ...query, page, limit } });

/** Read the first rows: as many as are loaded. */
async function readRows(query: InboxQuery): Promise<LoadedRows> {
  const loaded = queryClient.getQueryData<LoadedRows>(rowsKey(query))?.items.length ?? 0;
  if (loaded <= PAGE_SIZE) return readPage(query, 1, PAGE_SIZE);
  let rows: LoadedRows = { items: [], total: 0 };
  for (let page = 1; page === 1 || (rows.items.length < Math.min(loaded, rows.total) && page < 100); page += 1)
    rows = appendRows(rows, await readPage(query, page, MAX_PAGE_SIZE));
  return rows;
}

/** Return the loaded rows of a view, and the function that loads more of them. */
export function useInboxRows(query: InboxQuery): { rows: UseQueryResult<LoadedRows>; loadMore: () => void } {
  const rows = useQuery<LoadedRows>({ queryKey: rowsKey(query), queryFn: () => readRows(query) });
  const isLoading = useRef(false);
  const loadMore = () => {
    const current = queryClient.getQueryData<LoadedRows>(rowsKey(query));
    if (isLoading.current || !current || current.items.length >= current.total) return;
    isLoading.current = true;
    // Rows that have left since are made up for: the page begins within what is loaded.
    readPage(query, Math.floor(current.items.length / PAGE_SIZE) + 1, PAGE_SIZE)
      .then((page) => queryClient.setQueryData<LoadedRows>(rowsKey(query), (now) => now && appendRows(now, page)))
      .catch(toast.failure)
      .finally(() => {
        isLoading.current = false;
      });
  };
  return { rows, loadMore };
}

/** Read the ids of all dialogues of a view, at most `most`. */
export async function readIds(query: InboxQuery, most: number): Promise<number[]> {
  let rows: LoadedRows = { items: [], total: 0 };
  for (let page = 1; page === 1 || rows.items.length < Math.min(rows.total, most); page += 1) {
    const next = await readPage(query, page, MAX_PAGE_SIZE);
    if (next.items.length === 0) break;
    rows = appendRows(rows, next);
  }
  return rows.items.slice(0, most).map(({ id }) => id);
}

export function useInboxCounts(query: Pick<InboxQuery, 'product_id' | 'company_id'>) {
  return useEndpoint(countInbox, { query }, { keepPrevious: true }).data;
}

/** Keep rows and counts current while the caller is mounted. */
export function useInboxLive(): LiveState {
  const { operator } = useScope();
  useEffect(() => {
    operatorId = operator.id;
  }, [operator.id]);
  return useLive(endpointUrl(streamLiveEvents), onEvent);
}

/** The operator at this console; events are the same for all of them. */
let operatorId = 0;

function onEvent(event: unknown): void {
  const parsed = liveEvent.safeParse(event);
  // A server newer than this page may send events it does not know.
  if (!parsed.success) return;
  const { data } = parsed;
  if (data.type === 'inbox') applyDialogue(data.dialogue);
  else if (data.type === 'inbox.removed') changeRows((rows) => removeRow(rows, data.id));
  else if (data.type === 'resync') refetchSoon(listInbox, 0);
  else return;
  refetchSoon(countInbox, COUNTS_REFETCH_MS);
}

/** Move the row of a changed dialogue in every list. */
export function applyDialogue(dialogue: Dialogue): void {
  const productName = productNameOf(dialogue.product_id);
  changeRows((rows, { view, search, product_id: productId }) => {
    const isInScope = productId === undefined || productId === dialogue.product_id;
    if (!isInScope) return rows;
    return placeRow(rows, dialogue, { view, operatorId, productName, mayInsert: search === undefined });
  });
  refetchSoon(listInbox, productName === null ? COUNTS_REFETCH_MS : ROWS_REFETCH_MS);
  refetchSoon(countInbox, COUNTS_REFETCH_MS);
}

function changeRows(change: (rows: LoadedRows, query: z.output<typeof queryShape>) => LoadedRows): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: keyOf(listInbox) })) {
    const query = z.object({ query: queryShape }).safeParse(queryKey[1]);
    if (!query.success) continue;
    queryClient.setQueryData<LoadedRows>(queryKey, (rows) => rows && change(rows, query.data.query));
  }
}

/** Return the name of a product that a loaded row has. Null: the refresh that follows brings the row. */
function productNameOf(productId: number): string | null {
  for (const [, rows] of queryClient.getQueriesData<LoadedRows>({ queryKey: keyOf(listInbox) })) {
    const row = rows?.items.find(({ product_id }) => product_id === productId);
    if (row) return row.product_name;
  }
  return null;
}

const scheduled = new Set<object>();

function refetchSoon(endpoint: typeof listInbox | typeof countInbox, afterMs: number): void {
  if (scheduled.has(endpoint)) return;
  scheduled.add(endpoint);
  setTimeout(() => {
    scheduled.delete(endpoint);
    void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
  }, afterMs);
}
