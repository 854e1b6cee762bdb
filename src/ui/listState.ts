/** A list's state (search, filters, order, page) in the address, so that reloads and links keep it. */
import { PAGE_SIZES } from '../platform/crud.ts';

const DEFAULT_SIZE = 25;

export type Order = 'asc' | 'desc';

export interface ListState {
  search: string;
  orderBy: string;
  order: Order;
  /** Zero-based here; the address, the screen and the API count from one. */
  page: number;
  size: number;
  /** Accepted values by filter name. A row matches if it has any of them. */
  filters: Readonly<Record<string, readonly string[]>>;
}

/** The parts of the address that belong to the list. */
export interface ListShape {
  orderBy: readonly [string, ...string[]];
  /** Names of the filters, as in the API. */
  filters: readonly string[];
  searchable: boolean;
}

/** Read the list state from the address. Malformed parameters are ignored. */
export function readListState(params: Readonly<Record<string, string | undefined>>, shape: ListShape): ListState {
  const sort = params.sort ?? '';
  const column = sort.startsWith('-') ? sort.slice(1) : sort;
  const isSortable = shape.orderBy.includes(column);
  const page = Number(params.list_page ?? '1');
  const size = Number(params.list_size ?? DEFAULT_SIZE);
  return {
    search: shape.searchable ? (params.search ?? '') : '',
    orderBy: isSortable ? column : shape.orderBy[0],
    order: isSortable && !sort.startsWith('-') ? 'asc' : 'desc',
    page: Number.isSafeInteger(page) && page >= 1 ? page - 1 : 0,
    size: PAGE_SIZES.some((option) => option === size) ? size : DEFAULT_SIZE,
    filters: Object.fromEntries(
      shape.filters.map((name) => [name, valuesIn(params[name])] as const).filter(([, values]) => values.length > 0),
    ),
  };
}

/** Return the address parameters for the state. Undefined removes a parameter; defaults are left out. */
export function writeListState(state: ListState, shape: ListShape): Record<string, string | undefined> {
  const sort = `${state.order === 'desc' ? '-' : ''}${state.orderBy}`;
  return {
    search: state.search === '' ? undefined : state.search,
    sort: sort === `-${shape.orderBy[0]}` ? undefined : sort,
    list_page: state.page === 0 ? undefined : String(state.page + 1),
    list_size: state.size === DEFAULT_SIZE ? undefined : String(state.size),
    ...Object.fromEntries(shape.filters.map((name) => [name, joinValues(state.filters[name] ?? []) || undefined])),
  };
}

/** Apply a change to the state. Any change except a page change returns to the first page. */
export function changeListState(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 0, ...change };
}

/** Build the query of the list endpoint. Days are single values in `zone`; other filters match any of their values. */
export function listQuery(
  state: ListState,
  zone: string,
): Record<string, string | number | readonly string[] | undefined> {
  const filters = Object.entries(state.filters).map(([name, values]) => [
    name,
    name === 'created_from' || name === 'created_to' ? values[0] : values,
  ]);
  return {
    page: state.page + 1,
    limit: state.size,
    order_by: state.orderBy,
    order: state.order,
    search: state.search.trim() === '' ? undefined : state.search.trim(),
    ...Object.fromEntries(filters),
    created_timezone: Object.keys(state.filters).some((name) => /_(from|to)$/.test(name)) ? zone : undefined,
  };
}

/** Return the conditions of a query, without order and paging. */
export function withoutPaging(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { page: _page, limit: _limit, order_by: _orderBy, order: _order, ...narrowing } = query;
  return narrowing;
}

/** Return whether a search or filter is set. */
export function hasConditions(state: ListState): boolean {
  return state.search.trim() !== '' || Object.keys(state.filters).length > 0;
}

/** Return the last existing page, zero-based. */
export function lastPage(total: number, size: number): number {
  return Math.max(0, Math.ceil(total / size) - 1);
}

/** Join values for the address: a comma within one is written `%2C`. */
export function joinValues(values: readonly string[]): string {
  return values.map((value) => value.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

function valuesIn(param: string | undefined): string[] {
  const values = (param ?? '').split(',').map((value) => value.replaceAll('%2C', ',').replaceAll('%25', '%'));
  return [...new Set(values.filter((value) => value !== ''))];
}
