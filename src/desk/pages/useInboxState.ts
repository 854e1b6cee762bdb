/** What the inbox shows, by its address: the view, its rows, the open dialogue, and the row that the keys have reached. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { findNextWaiting, nextAfter, stillWaits } from '../../conversations/pages/shared/nextWaiting.ts';
import { parseId, usePage } from '../../ui/page.ts';
import { type Scope, useScope } from '../../ui/scope.ts';
import { type InboxRow, type InboxView, inboxViews } from '../contract.ts';
import { arrangeRows, type VisibleRow } from './inboxRows.ts';
import { type InboxQuery, useInboxRows } from './useInbox.ts';

interface ListChange {
  view?: InboxView;
  search?: string;
  isOneProduct?: boolean;
}

export interface InboxState {
  readonly query: InboxQuery;
  readonly product: Scope['product'];
  /** Whether only the chosen product is in sight, or all of the company. */
  readonly isOneProduct: boolean;
  readonly dialogueId: number | null;
  /** Undefined until loaded. */
  readonly rows: readonly InboxRow[] | undefined;
  readonly total: number;
  readonly visible: readonly VisibleRow[];
  readonly error: Error | null;
  readonly retry: () => void;
  readonly loadMore: () => void;
  /** The row that the keys have reached; null: none. */
  readonly cursor: number | null;
  readonly moveCursor: (by: 1 | -1) => void;
  /** Opens the next or previous dialogue, or moves to the row if none is open. */
  readonly step: (by: 1 | -1) => void;
  readonly open: (row: Pick<InboxRow, 'id' | 'lead_name'>) => void;
  readonly close: () => void;
  readonly setList: (change: ListChange) => void;
  readonly paramsOf: (change: ListChange, dialogueId?: number) => Record<string, string | number | undefined>;
  readonly setPointerOver: (isOver: boolean) => void;
  /** Set by the list: scrolls to a row. */
  readonly showRow: RefObject<(id: number) => void>;
  /** Finds the dialogue that needs a person after the open one and is not being answered; null if nobody else waits. */
  readonly findNext: () => Promise<Pick<InboxRow, 'id' | 'lead_name'> | null>;
}

export function useInboxState(): InboxState {
  const { params, go, setView, back } = usePage();
  const { operator, company, product } = useScope();
  const list = listIn(params);
  const isOneProduct = list.isOneProduct && product !== null;
  const query: InboxQuery = {
    view: list.view,
    product_id: isOneProduct ? product.id : undefined,
    company_id: isOneProduct ? undefined : company?.id,
    search: list.search.trim() || undefined,
  };
  const dialogueId = parseId(params.dialogueId);
  const { rows: loaded, loadMore } = useInboxRows(query);
  const rows = loaded.data?.items;
  const { visible, setPointerOver } = useVisibleRows(JSON.stringify(query), rows ?? NO_ROWS);
  const [cursor, setCursor] = useState<number | null>(null);
  const showRow = useRef<(id: number) => void>(() => {});
  // When the open dialogue leaves the view, the next one takes its index.
  const lastIndex = useRef(-1);
  const current = dialogueId ?? cursor;
  const at = visible.findIndex(({ row }) => row.id === current);
  useEffect(() => {
    if (at >= 0) lastIndex.current = at;
  }, [at]);

  const paramsOf: InboxState['paramsOf'] = (change, id) => listParams({ ...list, ...change }, id);
  const open: InboxState['open'] = ({ id }) => {
    setCursor(null);
    showRow.current(id);
    go('inbox', paramsOf({}, id), { replace: dialogueId !== null });
  };
  const neighbour = (by: 1 | -1): InboxRow | undefined => {
    const from = at >= 0 ? at + by : by === 1 ? Math.max(lastIndex.current, 0) : lastIndex.current - 1;
    return visible[from]?.row;
  };
  const moveCursor = (by: 1 | -1) => {
    const next = neighbour(by);
    if (!next) return;
    showRow.current(next.id);
    setCursor(next.id);
  };
  return {
    query,
    product,
    isOneProduct,
    dialogueId,
    rows,
    total: loaded.data?.total ?? 0,
    visible,
    error: loaded.error,
    retry: () => void loaded.refetch(),
    loadMore,
    cursor,
    moveCursor,
    step: (by) => {
      if (dialogueId === null) return moveCursor(by);
      const next = neighbour(by);
      if (next) open(next);
    },
    open,
    close: () => back('inbox', paramsOf({})),
    setList: (change) => setView({ ...NO_LIST, ...paramsOf(change), dialogueId: params.dialogueId }),
    paramsOf,
    setPointerOver,
    showRow,
    findNext: async () => {
      const { product_id, company_id } = query;
      const left = new Set(visible.flatMap(({ row, hasLeft }) => (hasLeft ? [row.id] : [])));
      const waits = (row: InboxRow) => !left.has(row.id) && stillWaits(operator.id, row);
      const loadedNext = nextAfter(
        visible.map(({ row }) => row),
        dialogueId,
        waits,
      );
      return loadedNext ?? findNextWaiting(operator.id, { chosen: dialogueId, product_id, company_id });
    },
  };
}

const NO_ROWS: readonly InboxRow[] = [];

/** Keep rows in their places while the pointer is over the list. A new list starts anew. */
function useVisibleRows(listKey: string, items: readonly InboxRow[]) {
  const [isPointerOver, setPointerOver] = useState(false);
  const arranged = { listKey, items, isPointerOver };
  const [rendered, setRendered] = useState({ ...arranged, visible: arrangeRows([], items, false) });
  if (rendered.listKey !== listKey || rendered.items !== items || rendered.isPointerOver !== isPointerOver)
    setRendered({
      ...arranged,
      visible: arrangeRows(rendered.visible, items, isPointerOver && rendered.listKey === listKey),
    });
  const { visible } = rendered;
  return { visible, setPointerOver: useCallback((isOver: boolean) => setPointerOver(isOver), []) };
}

interface InboxList {
  readonly view: InboxView;
  readonly search: string;
  readonly isOneProduct: boolean;
}

/** Read the list from the address. */
function listIn(params: Readonly<Record<string, string>>): InboxList {
  return {
    view: inboxViews.find((view) => view === params.view) ?? 'needs_me',
    search: params.search ?? '',
    isOneProduct: params.products === 'chosen',
  };
}

const NO_LIST = { view: undefined, search: undefined, products: undefined };

function listParams({ view, search, isOneProduct }: InboxList, dialogueId?: number) {
  return {
    view: view === 'needs_me' ? undefined : view,
    search: search || undefined,
    products: isOneProduct ? 'chosen' : undefined,
    dialogueId,
  };
}
