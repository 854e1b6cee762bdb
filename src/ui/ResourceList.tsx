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
import { menuProps, useListMenu } from './listMenu.ts';
import { hasConditions, type ListShape, type ListState, lastPage, listQuery, withoutPaging } from './listState.ts';
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

const shapeOf = (crud: Pick<ReadableResource<Row>, 'orderBy' | 'search'>, filters: readonly Filter[]): ListShape => ({
  orderBy: crud.orderBy,
  filters: filters.flatMap(filterParamNames),
  searchable: crud.search.length > 0,
});

/** Read the page of the list that the address asks for, with the columns that the operator chose. */
function useRows<T extends Row>({
  crud,
  columns,
  filters = [],
  fixedQuery = NO_FIXED_QUERY,
  onRowsChange,
}: ResourceListProps<T>) {
  const [state, change] = useListState(shapeOf(crud, filters));
  const [choice, choose] = useColumnChoice(usePage().key);
  const visible = visibleColumns(columns, choice);
  const zone = useProductZone();
  const narrowed = { ...listQuery(state, zone), ...fixedQuery };
  const query = { ...narrowed, ...Object.assign({}, ...visible.map((column) => column.listQuery)) };
  const list = useEndpoint(crud.list, { query }, { keepPrevious: true });
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
  return {
    state,
    change,
    visible,
    chooser: <ColumnChooser columns={columns} choice={choice} onChange={choose} />,
    query,
    conditions: withoutPaging(narrowed),
    list,
    rows,
    total,
    stale,
    isEmpty: rows?.length === 0 && !stale && total === 0,
    hasFailed: list.error !== null && rows === undefined,
  };
}

export function ResourceList<T extends Row>(props: ResourceListProps<T>) {
  const { crud, filters = [], rowTarget, tools, bulk, failureText } = props;
  const entity = t(crud.plural);
  const searchable = crud.search.length > 0;
  const { state, change, visible, query, conditions, list, rows, total, ...read } = useRows(props);
  const selection = useSelection(JSON.stringify(conditions));
  const { chosen, choose } = selection;
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
            <Filters filters={filters} values={state.filters} onChange={(values) => change({ filters: values })} />
          </div>
        </div>
        <ListMenuSlot shape={shapeOf(crud, filters)} state={state} />
        <ExportButton crud={crud} columns={visible} query={query} />
        {read.chooser}
      </div>
      {list.error && (
        <div className={classes.notice}>
          <Failure
            error={list.error}
            onRetry={() => list.refetch()}
            {...(failureText === undefined ? {} : { what: failureText })}
          />
        </div>
      )}
      {read.isEmpty && <EmptyList {...props} state={state} onClear={() => change({ search: '', filters: {} })} />}
      {!read.isEmpty && !read.hasFailed && (
        <DataTable
          caption={entity}
          columns={visible}
          rows={rows}
          stale={read.stale}
          sort={{ by: state.orderBy, order: state.order, onChange: (orderBy, order) => change({ orderBy, order }) }}
          {...(rowTarget ? { rowTarget } : {})}
          {...(tools ? { tools } : {})}
          {...(bulk ? { selection: { ...selection, nameOf: bulk.nameOf } } : {})}
        />
      )}
      {bulk && chosen.size > 0 && (
        <BulkBar
          count={chosen.size}
          total={total}
          chooseAll={async () => {
            const allIds = bulk.allIds ?? ((narrowed) => fetchAllIds(crud.list, narrowed));
            choose(new Set(await allIds(conditions)));
          }}
          clear={selection.clear}
        >
          {bulk.actions({ ids: [...chosen], keepSelected: (remaining) => choose(new Set(remaining)) })}
        </BulkBar>
      )}
      {!read.hasFailed && (
        <Pager
          caption={
            rows
              ? rowsCaption({ total, page: state.page, size: state.size, plural: entity })
              : t('Loading {{entity}}...', { entity })
          }
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

/** The console's menu for the state of the list. */
function ListMenuSlot({ shape, state }: { shape: ListShape; state: ListState }) {
  const page = usePage();
  const menu = useListMenu();
  return menu?.(menuProps(page, shape, state)) ?? null;
}

interface EmptyListProps {
  crud: { plural: string };
  state: ListState;
  emptyText?: string;
  createButton?: ReactNode;
  onClear: () => void;
}

function EmptyList({ crud, state, emptyText, createButton, onClear }: EmptyListProps) {
  const narrowed = hasConditions(state);
  return (
    <Notice
      title={t('No {{entity}} found', { entity: t(crud.plural) })}
      text={narrowed ? null : (emptyText ?? null)}
      action={
        narrowed ? (
          <Button size="xs" variant="default" onClick={onClear}>
            {t('Clear filters')}
          </Button>
        ) : (
          createButton
        )
      }
    />
  );
}
