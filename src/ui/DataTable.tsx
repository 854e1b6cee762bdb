/**
 * A table of rows with a sticky head, sorting and keyboard navigation. Column widths are fixed shares, so nothing
 * shifts when rows replace their skeletons or the next page replaces the previous one, unless a cell would be cut beside
 * a column with room.
 */
import { Checkbox, Skeleton, Table, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type MouseEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { type Column, phoneColumns, primaryColumn } from './columns.ts';
import { useColumnWidths } from './columnWidths.ts';
import classes from './DataTable.module.css';
import { t } from './i18n.ts';
import type { Order } from './listState.ts';
import { isPlainClick } from './PageLink.tsx';
import type { Row } from './resource.ts';
import { moveRowFocus, selectRowByKey, showFullTextOnHover } from './rowEvents.ts';
import { idsBetween, setSelected, toggleSelected } from './selection.ts';
import { useShortcut } from './shortcuts.ts';
import { useSidewaysShadow } from './sidewaysScroll.ts';
import { NARROW_SCREEN } from './theme.ts';

/** What opening a row does: follow an address, which also works in a new tab, or run an action. */
export interface RowTarget {
  href?: string;
  open: () => void;
}

interface DataTableProps<T extends Row> {
  /** Describes the rows to screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  /** Undefined while the first rows load. */
  rows: readonly T[] | undefined;
  /** The rows still belong to the previous page or search. */
  stale?: boolean;
  skeletons?: number;
  sort?: Sort | undefined;
  rowTarget?: (row: T) => RowTarget | null;
  /** Controls at the end of a row. */
  tools?: (row: T) => ReactNode;
  /** Makes rows selectable: with checkboxes, with Space, and as a range with Shift. */
  selection?: SelectionProps<T>;
}

interface Sort {
  by: string;
  order: Order;
  onChange: (by: string, order: Order) => void;
}

interface SelectionProps<T> {
  chosen: ReadonlySet<number>;
  choose: (next: ReadonlySet<number>) => void;
  nameOf: (row: T) => string;
}

/** Widths in rem: one share, the tools column and the checkbox column. */
const SHARE_REM = 5;
const TOOLS_REM = 3;
const BOX_REM = 2.75;
const DEFAULT_SPAN = 2;

export function DataTable<T extends Row>(props: DataTableProps<T>) {
  const { caption, rows, stale = false, skeletons = 8, rowTarget, tools, selection } = props;
  const narrow = useMediaQuery(NARROW_SCREEN, false, { getInitialValueInEffect: false });
  const columns = useMemo(() => (narrow ? phoneColumns(props.columns) : props.columns), [narrow, props.columns]);
  const frame = useRef<HTMLDivElement>(null);
  useSidewaysShadow(frame);
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState(0);
  const table = useRef<HTMLTableElement>(null);
  const spans = columns.map((column) => column.span ?? DEFAULT_SPAN);
  const shares = spans.reduce((sum, span) => sum + span, 0);
  const declared = spans.map((span) => span / shares);
  useColumnWidths({ table, declared, rows });
  const width = shares * SHARE_REM + (tools ? TOOLS_REM : 0) + (selection ? BOX_REM : 0);
  const tabIndexRow = Math.min(current, (rows?.length ?? 0) - 1);
  const ids = rows?.map((row) => row.id) ?? [];
  const choose = useRangeSelection(ids, selection);
  // Move the focus into the table from anywhere on the page. Inside the table, the arrow keys move between rows.
  useShortcut('ArrowDown', t('Go to the rows'), () => {
    body.current?.querySelector<HTMLElement>('[data-row-opener][tabindex="0"]')?.focus();
  });

  return (
    // Without a focusable element inside, the table could not be scrolled by keyboard.
    <div ref={frame} className={classes.scroll} {...(rowTarget ? {} : { tabIndex: 0 })}>
      <Table
        ref={table}
        className={classes.table}
        style={{ '--table-least-width': `${width}rem` }}
        stickyHeader
        aria-busy={rows === undefined || stale}
        horizontalSpacing="sm"
      >
        <caption>
          <VisuallyHidden>{caption}</VisuallyHidden>
        </caption>
        <colgroup>
          {selection && <col style={{ width: `${BOX_REM}rem` }} />}
          {columns.map((column, index) => (
            <col key={column.key} data-column style={{ width: `${(declared[index] ?? 0) * 100}%` }} />
          ))}
          {tools && <col style={{ width: `${TOOLS_REM}rem` }} />}
        </colgroup>
        <Head {...props} columns={columns} ids={ids} />
        <Table.Tbody
          ref={body}
          onKeyDown={(event) => {
            if (event.key === ' ' && selectRowByKey(event, ids, choose)) return;
            moveRowFocus(event);
          }}
          className={stale ? classes.stale : undefined}
          onPointerOver={showFullTextOnHover}
        >
          {rows === undefined && (
            <SkeletonRows count={skeletons} columns={columns.length + (tools ? 1 : 0) + (selection ? 1 : 0)} />
          )}
          {rows?.map((row, index) => (
            <BodyRow
              key={row.id}
              {...props}
              columns={columns}
              row={row}
              inTabOrder={index === tabIndexRow}
              onFocus={() => setCurrent(index)}
              onChoose={choose}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Return the function that toggles a row, or with `isRange` all rows since the one toggled before. */
function useRangeSelection<T>(ids: readonly number[], selection: SelectionProps<T> | undefined) {
  const last = useRef<number | null>(null);
  return (id: number, isRange: boolean) => {
    if (!selection) return;
    const { chosen, choose } = selection;
    const from = last.current;
    last.current = id;
    // A range takes the new state of the row at which it ends.
    if (isRange && from !== null) choose(setSelected(chosen, idsBetween(ids, from, id), !chosen.has(id)));
    else choose(toggleSelected(chosen, id));
  };
}

type HeadProps<T extends Row> = Pick<DataTableProps<T>, 'columns' | 'sort' | 'tools' | 'selection'>;

function Head<T extends Row>({ columns, sort, tools, selection, ids }: HeadProps<T> & { ids: readonly number[] }) {
  const onPage = selection ? ids.filter((id) => selection.chosen.has(id)).length : 0;
  return (
    <Table.Thead>
      <Table.Tr>
        {selection && (
          <Table.Th className={classes.box}>
            <Checkbox
              size="xs"
              aria-label={t('Select all on this page')}
              checked={onPage > 0 && onPage === ids.length}
              indeterminate={onPage > 0 && onPage < ids.length}
              disabled={ids.length === 0}
              onChange={() => selection.choose(setSelected(selection.chosen, ids, onPage < ids.length))}
            />
          </Table.Th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} sort={sort} />
        ))}
        {tools && (
          <Table.Th className={classes.tools}>
            <VisuallyHidden>{t('Actions')}</VisuallyHidden>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  );
}

interface BodyRowProps<T extends Row>
  extends Pick<DataTableProps<T>, 'columns' | 'rowTarget' | 'tools' | 'selection'>,
    Pick<RowOpenerProps, 'inTabOrder' | 'onFocus'> {
  row: T;
  onChoose: (id: number, isRange: boolean) => void;
}

function BodyRow<T extends Row>({ columns, rowTarget, tools, selection, row, onChoose, ...opener }: BodyRowProps<T>) {
  const main = primaryColumn(columns);
  const target = rowTarget?.(row) ?? null;
  return (
    <Table.Tr
      className={classes.row}
      data-opens={target !== null || undefined}
      data-chosen={selection?.chosen.has(row.id) || undefined}
      onClick={(event) => target && openByClick(event, target)}
    >
      {selection && (
        <Table.Td className={classes.box}>
          <Checkbox
            size="xs"
            tabIndex={-1}
            aria-label={t('Select {{name}}', { name: selection.nameOf(row) })}
            checked={selection.chosen.has(row.id)}
            onChange={() => {}}
            onClick={(event) => onChoose(row.id, event.shiftKey)}
          />
        </Table.Td>
      )}
      {columns.map((column) => (
        <Table.Td key={column.key} className={column.number ? classes.number : undefined}>
          {column.key === main && target !== null ? (
            <RowOpener target={target} inTabOrder={opener.inTabOrder} onFocus={opener.onFocus}>
              {column.render(row)}
            </RowOpener>
          ) : (
            column.render(row)
          )}
        </Table.Td>
      ))}
      {tools && <Table.Td className={classes.tools}>{tools(row)}</Table.Td>}
    </Table.Tr>
  );
}

interface HeadCellProps<T> {
  column: Column<T>;
  sort: Sort | undefined;
}

function HeadCell<T>({ column, sort }: HeadCellProps<T>) {
  const by = column.sort;
  const className = column.number ? classes.number : undefined;
  if (by === undefined || sort === undefined)
    return (
      <Table.Th className={className} data-column>
        {column.hint === undefined ? column.label : <Hinted label={column.label} hint={column.hint} />}
      </Table.Th>
    );
  const active = sort.by === by;
  const ascending = active && sort.order === 'asc';
  return (
    <Table.Th
      className={className}
      data-column
      aria-sort={active ? (ascending ? 'ascending' : 'descending') : undefined}
    >
      <UnstyledButton
        className={classes.sort}
        data-active={active || undefined}
        onClick={() => sort.onChange(by, active && sort.order === 'asc' ? 'desc' : 'asc')}
      >
        {column.label}
        {ascending ? <IconArrowUp size="0.9rem" aria-hidden /> : <IconArrowDown size="0.9rem" aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** A label with an explanation, which the keyboard reaches too. */
function Hinted({ label, hint }: { label: string; hint: string }) {
  return (
    <Tooltip label={hint} multiline maw="20rem" events={{ hover: true, focus: true, touch: true }}>
      <UnstyledButton className={classes.hinted} aria-description={hint}>
        {label}
      </UnstyledButton>
    </Tooltip>
  );
}

interface RowOpenerProps {
  target: RowTarget;
  inTabOrder: boolean;
  onFocus: () => void;
  children: ReactNode;
}

/** The main cell, which opens its row. One row is in the tab order; the arrow keys reach the others. */
function RowOpener({ target, inTabOrder, onFocus, children }: RowOpenerProps) {
  const common = {
    className: classes.open,
    tabIndex: inTabOrder ? 0 : -1,
    'data-row-opener': true,
    onFocus,
  };
  const click = (event: MouseEvent) => {
    event.stopPropagation();
    if (!isPlainClick(event)) return;
    event.preventDefault();
    target.open();
  };
  if (target.href === undefined) {
    return (
      <UnstyledButton {...common} onClick={click}>
        {children}
      </UnstyledButton>
    );
  }
  return (
    <a {...common} href={target.href} onClick={click}>
      {children}
    </a>
  );
}

function SkeletonRows({ count, columns }: { count: number; columns: number }) {
  return Array.from({ length: count }, (_, row) => (
    <Table.Tr key={row} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        <Table.Td key={column}>
          <Skeleton height="0.8rem" width={`${45 + ((row * 3 + column * 5) % 4) * 12}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

/** Open a row on a click anywhere in it, except on its controls or at the end of a text selection. */
function openByClick(event: MouseEvent, opens: RowTarget): void {
  const target = event.target;
  // React bubbles clicks from menus and dialogs to here even though they are elsewhere in the DOM.
  if (!(target instanceof Node) || !event.currentTarget.contains(target)) return;
  if (target instanceof Element && target.closest('a, button, input, label, [role="menu"]')) return;
  if ((window.getSelection()?.toString() ?? '') !== '') return;
  if (event.metaKey || event.ctrlKey) {
    if (opens.href !== undefined) window.open(opens.href, '_blank', 'noopener');
  } else if (isPlainClick(event)) {
    opens.open();
  }
}
