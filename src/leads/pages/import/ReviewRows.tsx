/** The rows of the file with their outcome; invalid cells can be corrected in place. */
import { Badge, Table as Grid, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { Pager, rowsCaption } from '../../../ui/Pager.tsx';
import type { Tone } from '../../../ui/theme.ts';
import type { ImportField } from '../../importContract.ts';
import classes from './import.module.css';
import {
  type Cell,
  type CellEdit,
  describeStatus,
  type FileRow,
  matchesFilter,
  type RowFilter,
  type RowStatus,
} from './rows.ts';

interface ReviewRowsProps {
  rows: readonly FileRow[];
  /** Null when rows can no longer be corrected. */
  onCell: ((edit: CellEdit) => void) | null;
}

const CELLS: readonly Cell[] = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone'];
const FILTERS: readonly RowFilter[] = ['ready', 'errors', 'known', 'all'];
const DEFAULT_SIZE = 25;

export function ReviewRows({ rows, onCell }: ReviewRowsProps) {
  const counts = Object.fromEntries(
    FILTERS.map((filter) => [filter, rows.filter((row) => matchesFilter(filter, row)).length]),
  );
  const wrong = rows.filter((row) => row.status.kind === 'invalid').length;
  const [filter, setFilter] = useState<RowFilter>(wrong > 0 ? 'errors' : 'all');
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(DEFAULT_SIZE);
  const partRows = rows.filter((row) => matchesFilter(filter, row));
  const pageRows = partRows.slice(page * size, (page + 1) * size);
  // Columns absent from the file are hidden unless a row has a value for them.
  const cells = CELLS.filter((cell) => cell === 'name' || rows.some((row) => row.row[cell] !== ''));
  const labels = partLabels();
  return (
    <>
      <div className={classes.parts}>
        <SegmentedControl
          size="xs"
          aria-label={t('Rows')}
          value={filter}
          onChange={(value) => {
            setFilter(FILTERS.find((one) => one === value) ?? 'all');
            setPage(0);
          }}
          data={FILTERS.map((one) => ({ value: one, label: `${labels[one]} ${formatNumber(counts[one] ?? 0)}` }))}
        />
      </div>
      <RowsTable rows={pageRows} label={labels[filter]} cells={cells} onCell={onCell} />
      <Pager
        caption={rowsCaption({ total: partRows.length, page, size, plural: t('rows') })}
        total={partRows.length}
        page={page}
        size={size}
        onPage={setPage}
        onSize={(next) => {
          setSize(next);
          setPage(0);
        }}
      />
    </>
  );
}

interface RowsTableProps extends ReviewRowsProps {
  label: string;
  cells: readonly Cell[];
}

function RowsTable({ rows, label, cells, onCell }: RowsTableProps) {
  const cellLabels = labelsOfCells();
  return (
    // Focusable, so that the keyboard can scroll it even without a field inside
    <div className={classes.rows} tabIndex={0} role="group" aria-label={label}>
      <Grid stickyHeader className={classes.review}>
        <Grid.Thead>
          <Grid.Tr>
            <Grid.Th className={classes.line}>{t('Row')}</Grid.Th>
            <Grid.Th className={classes.verdict}>{t('Result')}</Grid.Th>
            {cells.map((cell) => (
              <Grid.Th key={cell}>{cellLabels[cell]}</Grid.Th>
            ))}
            <Grid.Th>{t('CRM fields')}</Grid.Th>
          </Grid.Tr>
        </Grid.Thead>
        <Grid.Tbody>
          {rows.map((one) => (
            <ReviewRow
              key={one.row.line}
              row={one}
              cells={cells}
              onCell={one.wasInvalid && one.fault === null ? onCell : null}
            />
          ))}
        </Grid.Tbody>
      </Grid>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {t('No {{entity}} found', { entity: t('rows') })}
        </Text>
      )}
    </div>
  );
}

interface ReviewRowProps {
  row: FileRow;
  cells: readonly Cell[];
  onCell: ((edit: CellEdit) => void) | null;
}

function ReviewRow({ row, cells, onCell }: ReviewRowProps) {
  const { line } = row.row;
  const cellLabels = labelsOfCells();
  return (
    <Grid.Tr>
      <Grid.Td className={classes.line} c="dimmed">
        {line}
        {row.fileLine !== line && <Text size="xs">{t('line {{line}}', { line: row.fileLine })}</Text>}
      </Grid.Td>
      <Grid.Td>
        <RowStatusCell row={row} isEditable={onCell !== null} />
      </Grid.Td>
      {cells.map((cell) => (
        <Grid.Td key={cell}>
          {onCell ? (
            <TextInput
              size="xs"
              aria-label={t('{{cell}} of row {{row}}', { cell: cellLabels[cell], row: line })}
              defaultValue={row.row[cell]}
              error={cellError(row, cell)}
              onChange={(event) => onCell({ line, field: cell, text: event.currentTarget.value })}
            />
          ) : (
            <Text size="sm" truncate title={row.row[cell]}>
              {row.row[cell]}
            </Text>
          )}
        </Grid.Td>
      ))}
      <Grid.Td>
        <Text size="sm" c="dimmed" truncate title={fieldsOf(row)}>
          {fieldsOf(row)}
        </Text>
      </Grid.Td>
    </Grid.Tr>
  );
}

function partLabels(): Record<RowFilter, string> {
  return { ready: t('To import'), errors: t('With errors'), known: t('Existing'), all: t('All') };
}

function labelsOfCells(): Record<Cell, string> {
  return {
    name: t('Name'),
    whatsapp: t('WhatsApp'),
    telegram: t('Telegram'),
    crm_id: t('CRM id'),
    timezone: t('Time zone'),
    tags: t('Tags'),
  };
}

function fieldsOf({ row }: FileRow): string {
  return Object.entries(row.crm_fields)
    .map(([key, value]) => `${key}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('; ');
}

function cellError({ status }: FileRow, field: ImportField): string | null {
  if (status.kind !== 'invalid') return null;
  const error = status.errors.find((one) => one.field === field);
  return error ? t(error.msg) : null;
}

const TONES: Readonly<Record<RowStatus['kind'], Tone>> = {
  ready: 'accent',
  created: 'green',
  invalid: 'red',
  twin: 'gray',
  present: 'gray',
  forgotten: 'orange',
};

/**
 * The outcome of a row, and the reason. While the row is editable, errors of a cell are shown below the cell instead.
 */
function RowStatusCell({ row, isEditable }: { row: FileRow; isEditable: boolean }) {
  const { status } = row;
  if (status.kind === 'ready') return <Badge color={TONES.ready}>{t('To import')}</Badge>;
  if (status.kind === 'created') return <Badge color={TONES.created}>{t('Imported')}</Badge>;
  return (
    <>
      <Badge color={TONES[status.kind]}>{status.kind === 'invalid' ? t('Skipped') : t('Existing')}</Badge>
      <Text size="xs" c="dimmed" mt={4}>
        {isEditable && status.kind === 'invalid' ? cellError(row, 'row') : describeStatus(row)}{' '}
        {status.kind === 'present' && status.leadId !== null && (
          <PageLink to="lead-detail" params={{ leadId: status.leadId }}>
            {t('Open')}
          </PageLink>
        )}
      </Text>
    </>
  );
}
