import { call } from './api.ts';
import { type Filter, filterParamNames } from './filter.ts';
import { t } from './i18n.ts';
import { menuProps, useListMenuTools } from './listMenu.ts';
import { listQuery, readListState } from './listState.ts';
import { listTools, rowsForAssistant } from './listTools.ts';
import { usePage } from './page.ts';
import { usePageContext } from './pageContext.ts';
import { pageTools, type ToolWithHandler } from './pageTool.ts';
import type { VisibleRows } from './ResourceList.tsx';
import type { ReadableResource, Row } from './resource.ts';
import { useProductZone } from './scope.ts';

interface ListContextOptions<T extends Row> {
  readonly title: string;
  readonly description: string;
  readonly crud: Omit<ReadableResource<T>, 'get' | 'resource'>;
  readonly filters: readonly Filter[] | undefined;
  readonly fixedQuery: Readonly<Record<string, unknown>> | undefined;
  readonly visibleRows: VisibleRows<T> | null;
  readonly describeRow: (row: T) => object;
  /** Tools in addition to searching the list. */
  readonly tools: readonly ToolWithHandler[];
}

/** Publish a list to the assistant: the visible rows, and tools to search it and to work with its rows. */
export function useListContext<T extends Row>(options: ListContextOptions<T>): void {
  const { title, description, crud, filters = [], fixedQuery, visibleRows, describeRow, tools } = options;
  const { key, params, setParams } = usePage();
  const zone = useProductZone();
  const shape = { orderBy: crud.orderBy, searchable: crud.search.length > 0 };
  const whole = { ...shape, filters: filters.flatMap(filterParamNames) };
  const menuTools = useListMenuTools();
  const menu = menuProps({ key, params, setParams }, whole, readListState(params, whole));
  const page = { page: title, parameters: params };
  usePageContext({
    description,
    summary: JSON.stringify(
      visibleRows === null || visibleRows.stale
        ? { ...page, state: 'loading' }
        : { ...page, total: visibleRows.total, ...rowsForAssistant(visibleRows.rows.map(describeRow)) },
    ),
    ...pageTools(
      ...listTools({
        entity: t(crud.plural),
        shape,
        filters,
        params,
        show: async (changed) => {
          setParams(changed);
          const state = readListState(changed, whole);
          const { items, total } = await call(crud.list, { query: { ...listQuery(state, zone), ...fixedQuery } });
          return { total, ...rowsForAssistant(items.map(describeRow)) };
        },
      }),
      ...(menuTools?.(menu) ?? []),
      ...tools,
    ),
  });
}
