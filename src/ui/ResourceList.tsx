/** A list of a resource with search, filters, columns and pages. Its state is kept in the address. */
import { Button } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { BulkBar } from './BulkBar.tsx';
import { ColumnChooser, useColumnChoice } from './ColumnChooser.tsx';
import { type Column, visibleColumns } from './columns.ts';
import { DataTable, type RowTarget } from './DataTable.tsx';
import { ExportButton } from './ExportButton.tsx';
import { Failure } from './Failure.tsx';
import { Filters } from './Filters.tsx';
import { fetchAllIds } from './fetchAllRows.ts';
import { type Filter, filterParamNames } from './filter.ts';
import { t } from './i18n.ts';
import { hasConditions, lastPage, listQuery, withoutPaging } from './listState.ts';
import { Notice } from './Notice.tsx';
import { Pager, rowsCaption } from './Pager.tsx';
import { usePage } from './page.ts';
import { useEndpoint } from './query.ts';
import classes from './ResourceList.module.css';
import type { ReadableResource, Row } from './resource.ts';
import { SearchInput } from './SearchInput.tsx';
import { useProductZone } from './scope.ts';
import { useSelection } from './selection.ts';
import { useListState } from './useListState.ts';

export interface ResourceListProps<T extends Row> {
  crud: Omit<ReadableResource<T>, 'get' | 'resource'>;
  columns: readonly Column<T>[];
  filters?: readonly Filter[];
  /** Conditions that apply in addition to the operator's filters and are not shown. */
  fixedQuery?: Readonly<Record<string, unknown>>;
  rowTarget?: (row: T) => RowTarget | null;
  tools?: (row: T) => ReactNode;
  /** Button of the empty list. */
  createButton?: ReactNode;
  /** Explains where the rows come from. Shown when the list is empty and no button creates a row. */
  emptyText?: string;
  /** Makes rows selectable and provides the bulk actions. */
  bulk?: BulkActions<T>;
  /** Error title when the list cannot be loaded. The server's message is shown below it. */
  failureText?: string;
  /** Called with the visible rows, for the assistant. */
  onRowsChange?: (visible: VisibleRows<T>) => void;
}

export interface VisibleRows<T> {
  rows: readonly T[];
  total: number;
  /** The rows are outdated, and newer ones have been requested. */
  stale: boolean;
}

/** Actions for the selected rows. */
export interface BulkActions<T> {
  nameOf: (row: T) => string;
  /** Reads the ids of all matching rows. Without it they are read page by page. */
  allIds?: (query: Readonly<Record<string, unknown>>) => Promise<readonly number[]>;
  actions: (chosen: { ids: readonly number[]; keepSelected: (remaining: readonly number[]) => void }) => ReactNode;
}

const NO_FIXED_QUERY: Readonly<Record<string, unknown>> = {};

export function ResourceList<T extends Row>(props: ResourceListProps<T>) {
  const {
    crud,
    columns,
    filters = [],
    fixedQuery = NO_FIXED_QUERY,
    rowTarget,
    tools,
    createButton,
    emptyText,
    onRowsChange,
    bulk,
  } = props;
  const entity = t(crud.plural);
  const searchable = crud.search.length > 0;
  const [state, change] = useListState({
    orderBy: crud.orderBy,
    filters: filters.flatMap(filterParamNames),
    searchable,
  });
  const [choice, choose] = useColumnChoice(usePage().key);
  const visible = visibleColumns(columns, choice);
  const zone = useProductZone();
  const query = {
    ...listQuery(state, zone),
    ...fixedQuery,
    ...Object.assign({}, ...visible.map((column) => column.listQuery)),
  };
  const list = useEndpoint(crud.list, { query }, { keepPrevious: true });
  const conditions = withoutPaging({ ...listQuery(state, zone), ...fixedQuery });
  const selection = useSelection(JSON.stringify(conditions));
  const { chosen } = selection;
  const rows = list.data?.items;
  const total = list.data?.total ?? 0;
  const stale = list.isPlaceholderData;

  // Deletions and links can lead past the last page.
  const lastExistingPage = rows?.length === 0 && !stale && total > 0 ? lastPage(total, state.size) : null;
  useEffect(() => {
    if (lastExistingPage !== null) change({ page: lastExistingPage });
  });
  useEffect(() => {
    if (rows && onRowsChange) onRowsChange({ rows, total, stale });
  }, [rows, total, stale, onRowsChange]);

  const fetchIds = (query: Readonly<Record<string, unknown>>) => fetchAllIds(crud.list, query);
  const failed = list.error !== null && rows === undefined;
  const empty = rows?.length === 0 && !stale && total === 0;
  return (
    <>
      <div className={classes.bar}>
        <div className={classes.narrowing} data-searchless={!searchable || undefined}>
          {searchable && (
            <SearchInput
              className={classes.search}
              value={state.search}
              label={t('Search {{entity}}', { entity })}
              onChange={(search) => change({ search })}
            />
          )}
          <div className={classes.chips}>
            <Filters filters={filters} values={state.filters} onChange={(chosen) => change({ filters: chosen })} />
          </div>
        </div>
        <ExportButton crud={crud} columns={visible} query={query} />
        <ColumnChooser columns={columns} choice={choice} onChange={choose} />
      </div>
      {list.error && (
        <div className={classes.notice}>
          <Failure
            error={list.error}
            onRetry={() => list.refetch()}
            {...(props.failureText === undefined ? {} : { what: props.failureText })}
          />
        </div>
      )}
      {empty ? (
        <Notice
          title={t('No {{entity}} found', { entity })}
          text={hasConditions(state) ? null : (emptyText ?? null)}
          action={
            hasConditions(state) ? (
              <Button size="xs" variant="default" onClick={() => change({ search: '', filters: {} })}>
                {t('Clear filters')}
              </Button>
            ) : (
              createButton
            )
          }
        />
      ) : (
        !failed && (
          <DataTable
            caption={entity}
            columns={visible}
            rows={rows}
            stale={stale}
            sort={{ by: state.orderBy, order: state.order, onChange: (orderBy, order) => change({ orderBy, order }) }}
            {...(rowTarget ? { rowTarget } : {})}
            {...(tools ? { tools } : {})}
            {...(bulk ? { selection: { ...selection, nameOf: bulk.nameOf } } : {})}
          />
        )
      )}
      {bulk && chosen.size > 0 && (
        <BulkBar
          count={chosen.size}
          total={total}
          chooseAll={async () => selection.choose(new Set(await (bulk.allIds ?? fetchIds)(conditions)))}
          clear={selection.clear}
        >
          {bulk.actions({ ids: [...chosen], keepSelected: (remaining) => selection.choose(new Set(remaining)) })}
        </BulkBar>
      )}
      {!failed && (
        <Pager
          caption={rows ? rowsCaption(total, state.page, state.size, entity) : t('Loading {{entity}}...', { entity })}
          total={total}
          page={state.page}
          size={state.size}
          onPage={(page) => change({ page })}
          onSize={(size) => change({ size })}
        />
      )}
    </>
  );
}
