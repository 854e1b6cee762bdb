/** The company's spending on models in the last 30 days: by day, purpose and model. */
import { Modal, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { DayBars } from '../../../ui/DayBars.tsx';
import { formatDollars, formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { QueryList } from '../../../ui/QueryList.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { readSpending, type Spending, type Sums } from '../../costContract.ts';
import { type Period, rowsOf, sumOf } from './spending.ts';

interface SpendingDialogProps {
  companyId: number;
  onClose: () => void;
}

export function SpendingDialog({ companyId, onClose }: SpendingDialogProps) {
  const found = useEndpoint(readSpending, { params: { id: companyId } }, { staleTime: 0 });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('Model spending')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <QueryList query={found} entity={t('spending')}>
        {(spending) => <Spent spending={spending} />}
      </QueryList>
    </Modal>
  );
}

const PURPOSES: Readonly<Record<string, string>> = {
  chatbot: 'Chatbot',
  classification: 'Classification',
  ping: 'Pings',
  document: 'Documents',
  summary: 'Summaries',
  playground: 'Playground',
  studio: 'Studio',
  assistant: 'Assistant',
  test: 'Tests of keys',
  lost: 'Lost answers, estimated',
  gone: 'Unknown',
};

function Spent({ spending }: { spending: Spending }) {
  const [stretch, setStretch] = useState<Period>('month');
  const rows = rowsOf(spending, stretch);
  const total = sumOf(rows);
  const costs = spending.days.map((day) => ({
    day,
    values: [sumOf(spending.items.filter((one) => one.day === day)).cost],
  }));
  return (
    <Stack gap="md">
      <div>
        <DayBars
          caption={t('Spending per day')}
          series={[t('Cost')]}
          days={costs}
          zone="UTC"
          format={formatDollars}
          formatHighest={(highest) => t('up to {{highest}} on a day', { highest })}
        />
      </div>
      <SegmentedControl
        aria-label={t('Days')}
        size="xs"
        value={stretch}
        onChange={setStretch}
        data={[
          { value: 'today', label: t('Today') },
          { value: 'week', label: t('7 days') },
          { value: 'month', label: t('30 days') },
        ]}
      />
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No model was used in this period.')}
        </Text>
      ) : (
        <SpendingTable rows={rows} total={total} />
      )}
      <Text size="xs" c="dimmed">
        {t('Days are in UTC. Unusable answers are charged too.')}
      </Text>
      {total.unpriced > 0 && (
        <Text size="sm" c="dimmed">
          {t(
            '{{count, number}} runs have no known price and are not in the total. Add a price for their model to include them.',
            {
              count: total.unpriced,
              defaultValue_one:
                '{{count}} run has no known price and is not in the total. Add a price for its model to include it.',
            },
          )}
        </Text>
      )}
    </Stack>
  );
}

interface SpendingTableProps {
  rows: ReturnType<typeof rowsOf>;
  total: Sums;
}

function SpendingTable({ rows, total }: SpendingTableProps) {
  return (
    <Table verticalSpacing="xs" horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('Purpose')}</Table.Th>
          <Table.Th ta="right">{t('Runs')}</Table.Th>
          <Table.Th ta="right">{t('Tokens in, out')}</Table.Th>
          <Table.Th ta="right">{t('Cost')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={`${row.purpose} ${row.vendor} ${row.model}`}>
            <Table.Td>
              {t(PURPOSES[row.purpose] ?? row.purpose)}
              <Text size="xs" c="dimmed">
                {row.model}
              </Text>
            </Table.Td>
            <Table.Td ta="right">{formatNumber(row.runs)}</Table.Td>
            <Table.Td ta="right">
              <Tokens of={row} />
            </Table.Td>
            <Table.Td ta="right">
              {row.unpriced > 0 && row.cost === 0 ? t('price unknown') : formatDollars(row.cost)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th>{t('Total')}</Table.Th>
          <Table.Th ta="right">{formatNumber(total.runs)}</Table.Th>
          <Table.Th ta="right">
            <Tokens of={total} />
          </Table.Th>
          <Table.Th ta="right">{formatDollars(total.cost)}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}

function Tokens({ of }: { of: Sums }) {
  return (
    <>
      <div>{formatNumber(of.input_tokens)}</div>
      <div>{formatNumber(of.output_tokens)}</div>
    </>
  );
}
