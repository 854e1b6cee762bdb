/** A list of a resource: search, filters, columns, table, pages; all of its state stands in the address. */
import { Button } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { allIds } from './allIds.ts';
import { BulkBar } from './BulkBar.tsx';
import { ColumnChooser, useColumnChoice } from './ColumnChooser.tsx';
import { type Column, shownColumns } from './columns.ts';
import { DataTable, type Opening } from './DataTable.tsx';
import { ExportButton } from './ExportButton.tsx';
import { Failure } from './Failure.tsx';
import { Filters } from './Filters.tsx';
import { type Filter, namesOf } from './filter.ts';
import { isNarrowed, lastPage, listQuery, narrowingOf } from './listState.ts';
import { Notice } from './Notice.tsx';
import { Pager, rowsCaption } from './Pager.tsx';
import { usePage } from './page.ts';
import { useEndpoint } from './query.ts';
import classes from './ResourceList.module.css';
import type { Readable, Row } from './resource.ts';
import { SearchInput } from './SearchInput.tsx';
import { useProductZone } from './scope.ts';
import { useSelection } from './selection.ts';
import { t } from './t.ts';
import { useListState } from './useListState.ts';

export interface ResourceListProps<T extends Row> {
  crud: Omit<Readable<T>, 'get' | 'noun'>;
  columns: readonly Column<T>[];
  filters?: readonly Filter[];
  /** Narrows the list besides what the operator chooses; not shown. */
  fixedQuery?: Readonly<Record<string, unknown>>;
  opening?: (row: T) => Opening | null;
  tools?: (row: T) => ReactNode;
  /** The one button of the empty list. */
  begin?: ReactNode;
  /** How rows come to be, in a sentence, where the list is empty and no button of it makes one. */
  emptyText?: string;
  /** Rows can be chosen, and this is what can be done with them. */
  bulk?: Bulk<T>;
  /** What is said when the list cannot be loaded, above the call's own words. */
  failed?: string;
  /** Told what is on the screen, for the assistant. */
  onShown?: (shown: Shown<T>) => void;
}

export interface Shown<T> {
  rows: readonly T[];
  total: number;
  /** Others have been asked for. */
  stale: boolean;
}

/** What can be done with the chosen rows. */
export interface Bulk<T> {
  nameOf: (row: T) => string;
  /** All ids that the list finds; without it they are read page by page. */
  allIds?: (query: Readonly<Record<string, unknown>>) => Promise<readonly number[]>;
  actions: (chosen: { ids: readonly number[]; keep: (left: readonly number[]) => void }) => ReactNode;
}

const NOTHING_FIXED: Readonly<Record<string, unknown>> = {};

export function ResourceList<T extends Row>(props: ResourceListProps<T>) {
  const {
    crud,
    columns,
    filters = [],
    fixedQuery = NOTHING_FIXED,
    opening,
    tools,
    begin,
    emptyText,
    onShown,
    bulk,
  } = props;
  const entity = t(crud.plural);
  const searchable = crud.search.length > 0;
  const [state, change] = useListState({ orderBy: crud.orderBy, filters: filters.flatMap(namesOf), searchable });
  const [choice, choose] = useColumnChoice(usePage().key);
  const seen = shownColumns(columns, choice);
  const zone = useProductZone();
  const query = {
    ...listQuery(state, zone),
    ...fixedQuery,
    ...Object.assign({}, ...seen.map((column) => column.asks)),
  };
  const list = useEndpoint(crud.list, { query }, { keepPrevious: true });
  const narrowing = narrowingOf({ ...listQuery(state, zone), ...fixedQuery });
  const selection = useSelection(JSON.stringify(narrowing));
  const { chosen } = selection;
  const rows = list.data?.items;
  const total = list.data?.total ?? 0;
  const stale = list.isPlaceholderData;

  // Deletions and links can lead past the end.
  const beyond = rows?.length === 0 && !stale && total > 0 ? lastPage(total, state.size) : null;
  useEffect(() => {
    if (beyond !== null) change({ page: beyond });
  });
  useEffect(() => {
    if (rows && onShown) onShown({ rows, total, stale });
  }, [rows, total, stale, onShown]);

  const everyId = (query: Readonly<Record<string, unknown>>) => allIds(crud.list, query);
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
        <ExportButton crud={crud} columns={seen} query={query} />
        <ColumnChooser columns={columns} choice={choice} onChange={choose} />
      </div>
      {list.error && (
        <div className={classes.notice}>
          <Failure
            error={list.error}
            onRetry={() => list.refetch()}
            {...(props.failed === undefined ? {} : { what: props.failed })}
          />
        </div>
      )}
      {empty ? (
        <Notice
          title={t('No {{entity}} found', { entity })}
          text={isNarrowed(state) ? null : (emptyText ?? null)}
          action={
            isNarrowed(state) ? (
              <Button size="xs" variant="default" onClick={() => change({ search: '', filters: {} })}>
                {t('Clear filters')}
              </Button>
            ) : (
              begin
            )
          }
        />
      ) : (
        !failed && (
          <DataTable
            caption={entity}
            columns={seen}
            rows={rows}
            stale={stale}
            sort={{ by: state.orderBy, order: state.order, onChange: (orderBy, order) => change({ orderBy, order }) }}
            {...(opening ? { opening } : {})}
            {...(tools ? { tools } : {})}
            {...(bulk ? { selection: { ...selection, nameOf: bulk.nameOf } } : {})}
          />
        )
      )}
      {bulk && chosen.size > 0 && (
        <BulkBar
          count={chosen.size}
          total={total}
          chooseAll={async () => selection.choose(new Set(await (bulk.allIds ?? everyId)(narrowing)))}
          clear={selection.clear}
        >
          {bulk.actions({ ids: [...chosen], keep: (left) => selection.choose(new Set(left)) })}
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
