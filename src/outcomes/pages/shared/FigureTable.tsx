/** A table of figures that is read as a whole: sortable by each column, and saved as CSV by `ExportFigures`. */
import { ActionIcon, Table, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useSidewaysShadow } from '../../../ui/sidewaysScroll.ts';
import { toast } from '../../../ui/toast.ts';
import type { FigureColumn } from './figureColumns.tsx';
import classes from './figures.module.css';
import { useOpenTable } from './openTables.ts';

export interface FigureTableProps<T> {
  /** Describes the rows to screen readers. */
  caption: string;
  /** The first one names the row. */
  columns: readonly FigureColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

interface Sorting {
  readonly key: string;
  readonly descending: boolean;
}

/** The rows in their own order until the operator sorts them. */
export function FigureTable<T>({ caption, columns, rows, keyOf }: FigureTableProps<T>) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const frame = useRef<HTMLElement>(null);
  useSidewaysShadow(frame);
  return (
    // Focusable, so that it can be scrolled by keyboard on narrow screens.
    <section ref={frame} className={classes.scroll} aria-label={caption} tabIndex={0}>
      <Table className={classes.table} horizontalSpacing="xs" highlightOnHover>
        <caption>
          <VisuallyHidden>{caption}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} onSort={setSorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sortRows(rows, columns, sorting).map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ key, number, render }, place) =>
                place === 0 ? (
                  <Table.Th key={key} scope="row">
                    {render(row)}
                  </Table.Th>
                ) : (
                  <Table.Td key={key} className={number ? classes.number : undefined} data-text={!number || undefined}>
                    {render(row)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

interface HeadProps<T> {
  column: FigureColumn<T>;
  sorting: Sorting | null;
  onSort: (sorting: Sorting) => void;
}

/** Numbers begin with the largest, texts with the first of the alphabet. */
function Head<T>({ column: { key, label, number = false, sort }, sorting, onSort }: HeadProps<T>) {
  const className = number ? classes.number : undefined;
  if (sort === undefined) return <Table.Th className={className}>{label}</Table.Th>;
  const active = sorting?.key === key;
  const descending = active ? sorting.descending : number;
  return (
    <Table.Th className={className} aria-sort={active ? (descending ? 'descending' : 'ascending') : undefined}>
      <UnstyledButton
        className={classes.sort}
        data-active={active || undefined}
        onClick={() => onSort({ key, descending: active ? !descending : number })}
      >
        {label}
        {descending ? <IconArrowDown size="0.9rem" aria-hidden /> : <IconArrowUp size="0.9rem" aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** Return the rows in the chosen order; what a row lacks comes last either way. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly FigureColumn<T>[],
  sorting: Sorting | null,
): readonly T[] {
  const sort = columns.find(({ key }) => key === sorting?.key)?.sort;
  if (sorting === null || sort === undefined) return rows;
  const sign = sorting.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [sort(one), sort(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  });
}

/** Return the lines of a table's CSV file, the head first. */
export function csvLines<T>(columns: readonly FigureColumn<T>[], rows: readonly T[]): (string | number)[][] {
  const cells = columns.flatMap(({ csv }) => csv);
  return [cells.map(({ label }) => label), ...rows.map((row) => cells.map(({ of }) => of(row) ?? ''))];
}

/** A button that saves a table as CSV; the assistant can press it too. `name` is the file's name without its ending. */
export function ExportFigures<T>({
  name,
  caption,
  columns,
  rows,
}: Pick<FigureTableProps<T>, 'caption' | 'columns' | 'rows'> & { name: string }) {
  const save = async (): Promise<number> => {
    const [{ toCsv }, { downloadFile }] = await Promise.all([
      import('../../../platform/csv.ts'),
      import('../../../ui/downloadFile.ts'),
    ]);
    downloadFile(`${name}.csv`, toCsv(csvLines(columns, rows)));
    toast.success(t('{{count, number}} rows saved', { count: rows.length, defaultValue_one: '{{count}} row saved' }));
    return rows.length;
  };
  useOpenTable(caption, save);
  return (
    <Tooltip label={t('Save as CSV')}>
      <ActionIcon
        variant="default"
        size="input-xs"
        aria-label={t('Save as CSV')}
        onClick={() => void save().catch(toast.failure)}
      >
        <IconDownload size="1rem" />
      </ActionIcon>
    </Tooltip>
  );
}
