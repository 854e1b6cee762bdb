/** The rows of the file with what became or will become of each; wrong cells can be mended in place. */
import { Badge, Table as Grid, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../../kit/format.ts';
import { PageLink } from '../../../kit/PageLink.tsx';
import { Pager, rowsCaption } from '../../../kit/Pager.tsx';
import { t } from '../../../kit/t.ts';
import type { Tone } from '../../../kit/theme.ts';
import type { ImportField } from '../../importContract.ts';
import classes from './import.module.css';
import { type FileRow, isIn, type Part, reasonOf, type Verdict } from './rows.ts';

type Cell = Exclude<ImportField, 'row'>;

interface ReviewRowsProps {
  rows: readonly FileRow[];
  /** Null once there is nothing more to mend. */
  onCell: ((line: number, field: Cell, text: string) => void) | null;
}

const CELLS: readonly Cell[] = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone'];
const PARTS: readonly Part[] = ['ready', 'errors', 'known', 'all'];
const SIZES_BEGIN = 25;

export function ReviewRows({ rows, onCell }: ReviewRowsProps) {
  const counts = Object.fromEntries(PARTS.map((part) => [part, rows.filter((row) => isIn(part, row)).length]));
  const wrong = rows.filter((row) => row.verdict.kind === 'invalid').length;
  const [part, setPart] = useState<Part>(wrong > 0 ? 'errors' : 'all');
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(SIZES_BEGIN);
  const found = rows.filter((row) => isIn(part, row));
  const shown = found.slice(page * size, (page + 1) * size);
  // A column that the file does not have is left out; a wrong row may need it all the same.
  const cells = CELLS.filter((cell) => cell === 'name' || rows.some((row) => row.row[cell] !== ''));
  const labels = partLabels();
  const cellLabels = labelsOfCells();
  return (
    <>
      <div className={classes.parts}>
        <SegmentedControl
          size="xs"
          aria-label={t('Rows')}
          value={part}
          onChange={(value) => {
            setPart(PARTS.find((one) => one === value) ?? 'all');
            setPage(0);
          }}
          data={PARTS.map((one) => ({ value: one, label: `${labels[one]} ${formatNumber(counts[one] ?? 0)}` }))}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without anything in it that takes the focus the keyboard could not scroll it */}
      <div className={classes.rows} tabIndex={0} role="group" aria-label={labels[part]}>
        <Grid stickyHeader className={classes.review}>
          <Grid.Thead>
            <Grid.Tr>
              <Grid.Th className={classes.line}>{t('Row')}</Grid.Th>
              <Grid.Th className={classes.verdict}>{t('Becomes')}</Grid.Th>
              {cells.map((cell) => (
                <Grid.Th key={cell}>{cellLabels[cell]}</Grid.Th>
              ))}
              <Grid.Th>{t('CRM fields')}</Grid.Th>
            </Grid.Tr>
          </Grid.Thead>
          <Grid.Tbody>
            {shown.map((one) => (
              <Grid.Tr key={one.row.line}>
                <Grid.Td className={classes.line} c="dimmed">
                  {one.row.line}
                </Grid.Td>
                <Grid.Td>
                  <VerdictOf row={one} mending={onCell !== null && one.wasInvalid} />
                </Grid.Td>
                {cells.map((cell) => (
                  <Grid.Td key={cell}>
                    {onCell && one.wasInvalid ? (
                      <TextInput
                        size="xs"
                        aria-label={t('{{cell}} of row {{row}}', { cell: cellLabels[cell], row: one.row.line })}
                        defaultValue={one.row[cell]}
                        error={errorAt(one, cell)}
                        onChange={(event) => onCell(one.row.line, cell, event.currentTarget.value)}
                      />
                    ) : (
                      <Text size="sm" truncate title={one.row[cell]}>
                        {one.row[cell]}
                      </Text>
                    )}
                  </Grid.Td>
                ))}
                <Grid.Td>
                  <Text size="sm" c="dimmed" truncate title={fieldsOf(one)}>
                    {fieldsOf(one)}
                  </Text>
                </Grid.Td>
              </Grid.Tr>
            ))}
          </Grid.Tbody>
        </Grid>
        {found.length === 0 && (
          <Text size="sm" c="dimmed" p="md">
            {t('No {{entity}} found', { entity: t('rows') })}
          </Text>
        )}
      </div>
      <Pager
        caption={rowsCaption(found.length, page, size, t('rows'))}
        total={found.length}
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

function partLabels(): Record<Part, string> {
  return { ready: t('To import'), errors: t('With errors'), known: t('Known already'), all: t('All') };
}

function labelsOfCells(): Record<Cell, string> {
  return {
    name: t('Name'),
    whatsapp: t('WhatsApp'),
    telegram: t('Telegram'),
    crm_id: t('CRM id'),
    timezone: t('Time zone'),
  };
}

function fieldsOf({ row }: FileRow): string {
  return Object.entries(row.crm_fields)
    .map(([key, value]) => `${key}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('; ');
}

function errorAt({ verdict }: FileRow, field: ImportField): string | null {
  if (verdict.kind !== 'invalid') return null;
  const error = verdict.errors.find((one) => one.field === field);
  return error ? t(error.msg) : null;
}

const TONES: Readonly<Record<Verdict['kind'], Tone>> = {
  ready: 'accent',
  created: 'green',
  invalid: 'red',
  twin: 'gray',
  present: 'gray',
  forgotten: 'orange',
};

/** What becomes of a row, and why. While it can be mended what is wrong with a cell stands beneath the cell. */
function VerdictOf({ row, mending }: { row: FileRow; mending: boolean }) {
  const { verdict } = row;
  if (verdict.kind === 'ready') return <Badge color={TONES.ready}>{t('To import')}</Badge>;
  if (verdict.kind === 'created') return <Badge color={TONES.created}>{t('Imported')}</Badge>;
  return (
    <>
      <Badge color={TONES[verdict.kind]}>{verdict.kind === 'invalid' ? t('Left out') : t('Known already')}</Badge>
      <Text size="xs" c="dimmed" mt={4}>
        {mending && verdict.kind === 'invalid' ? errorAt(row, 'row') : reasonOf(row)}{' '}
        {verdict.kind === 'present' && verdict.leadId !== null && (
          <PageLink to="lead-detail" params={{ leadId: verdict.leadId }}>
            {t('Open')}
          </PageLink>
        )}
      </Text>
    </>
  );
}
