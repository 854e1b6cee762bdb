/** What models cost: the company's budget, and the prices that runs are counted by. */
import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { IconChartBar, IconCoin, IconPlus, IconReportMoney, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../kit/Failure.tsx';
import { formatDay, formatDollars } from '../../kit/format.ts';
import { keyOf, useCall, useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { llmVendors } from '../../products/contract.ts';
import { type Budget, type Price, readBudget, readPrices, writeBudget, writePrices } from '../moneyContract.ts';
import { SpendingDialog } from './SpendingDialog.tsx';

const TONES: Readonly<Record<Budget['state'], string>> = {
  none: 'gray',
  fine: 'green',
  warning: 'yellow',
  spent: 'red',
};

/** What was spent today, in the heading. */
export function SpentBadge({ companyId }: { companyId: number }) {
  const { data } = useEndpoint(readBudget, { params: { id: companyId } }, { staleTime: 0 });
  if (!data) return null;
  return (
    <Badge color={TONES[data.state]} role="status">
      {data.usd_per_day === null
        ? t('{{spent}} today', { spent: formatDollars(data.spent_today) })
        : t('{{spent}} of {{limit}} today', {
            spent: formatDollars(data.spent_today),
            limit: formatDollars(data.usd_per_day),
          })}
    </Badge>
  );
}

/** The buttons of the heading. */
export function MoneyButtons({ companyId, admin }: { companyId: number; admin: boolean }) {
  const [open, setOpen] = useState<'spending' | 'budget' | 'prices' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChartBar size="1rem" />}
        onClick={() => setOpen('spending')}
      >
        {t('Spending')}
      </Button>
      <Button size="xs" variant="default" leftSection={<IconCoin size="1rem" />} onClick={() => setOpen('budget')}>
        {t('Budget')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconReportMoney size="1rem" />}
        onClick={() => setOpen('prices')}
      >
        {t('Prices')}
      </Button>
      {open === 'spending' && <SpendingDialog companyId={companyId} onClose={close} />}
      {open === 'budget' && <BudgetDialog companyId={companyId} onClose={close} />}
      {open === 'prices' && <PricesDialog admin={admin} onClose={close} />}
    </>
  );
}

function BudgetDialog({ companyId, onClose }: { companyId: number; onClose: () => void }) {
  const cache = useQueryClient();
  const found = useEndpoint(readBudget, { params: { id: companyId } }, { staleTime: 0 });
  const saving = useCall(writeBudget);
  const [typed, setTyped] = useState<number | string | null>(null);
  const value = typed ?? found.data?.usd_per_day ?? '';
  const save = () =>
    saving.mutate(
      { params: { id: companyId }, body: { usd_per_day: value === '' ? null : Number(value) } },
      {
        onSuccess: (now) => {
          cache.setQueryData(keyOf(readBudget, { params: { id: companyId } }), now);
          toast.success(t('Budget saved'));
          onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title={t('Budget for models')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack gap="md">
        {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
        <NumberInput
          label={t('US dollars a day')}
          description={t(
            'From 80 % on everyone is warned; at 100 % replies pause until the next UTC day or a raised budget. Empty: no limit.',
          )}
          min={0}
          max={1_000_000}
          decimalScale={2}
          prefix="$"
          value={value}
          onChange={setTyped}
          data-autofocus
        />
        {found.data && found.data.days.length > 0 && (
          <Table withRowBorders={false}>
            <Table.Tbody>
              {found.data.days.slice(0, 7).map((one) => (
                <Table.Tr key={one.day}>
                  <Table.Td>{formatDay(`${one.day}T12:00:00.000Z`)}</Table.Td>
                  <Table.Td ta="right">{formatDollars(one.cost)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {saving.error && <Failure error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button loading={saving.isPending} disabled={!found.data} onClick={save}>
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function PricesDialog({ admin, onClose }: { admin: boolean; onClose: () => void }) {
  const cache = useQueryClient();
  const found = useEndpoint(readPrices, {}, { staleTime: 0 });
  const saving = useCall(writePrices);
  const [draft, setDraft] = useState<readonly Price[] | null>(null);
  const rows = draft ?? found.data?.items ?? [];
  const change = (at: number, next: Partial<Price>) =>
    setDraft(rows.map((row, index) => (index === at ? { ...row, ...next } : row)));
  const save = () =>
    saving.mutate(
      { body: { items: rows.filter((row) => row.model.trim() !== '').map((row) => ({ ...row })) } },
      {
        onSuccess: (now) => {
          cache.setQueryData(keyOf(readPrices, {}), now);
          void cache.invalidateQueries({ queryKey: keyOf(readBudget) });
          toast.success(t('Prices saved'));
          onClose();
        },
      },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('Prices of models')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('US dollars for a million tokens. A name stands for all that begin with it, unless they have their own.')}
        </Text>
        {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
        <Table.ScrollContainer minWidth="var(--rapport-form)" type="native">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('Vendor')}</Table.Th>
                <Table.Th>{t('Model')}</Table.Th>
                <Table.Th>{t('In')}</Table.Th>
                <Table.Th>{t('Out')}</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, at) => (
                // A row has no name of its own until it is saved.
                // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end and taken out
                <Table.Tr key={at}>
                  <Table.Td>
                    <Select
                      size="xs"
                      aria-label={t('Vendor of row {{row}}', { row: at + 1 })}
                      disabled={!admin}
                      data={[...llmVendors]}
                      value={row.vendor}
                      allowDeselect={false}
                      onChange={(value) =>
                        change(at, { vendor: llmVendors.find((one) => one === value) ?? row.vendor })
                      }
                    />
                  </Table.Td>
                  <Table.Td>
                    <TextInput
                      size="xs"
                      aria-label={t('Model of row {{row}}', { row: at + 1 })}
                      disabled={!admin}
                      value={row.model}
                      onChange={(event) => change(at, { model: event.currentTarget.value })}
                    />
                  </Table.Td>
                  {(['input_per_million', 'output_per_million'] as const).map((key) => (
                    <Table.Td key={key}>
                      <NumberInput
                        size="xs"
                        aria-label={
                          key === 'input_per_million'
                            ? t('Price in of row {{row}}', { row: at + 1 })
                            : t('Price out of row {{row}}', { row: at + 1 })
                        }
                        disabled={!admin}
                        min={0}
                        decimalScale={4}
                        value={row[key]}
                        onChange={(value) => typeof value === 'number' && change(at, { [key]: value })}
                      />
                    </Table.Td>
                  ))}
                  <Table.Td>
                    {admin && (
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={t('Remove row {{row}}', { row: at + 1 })}
                        onClick={() => setDraft(rows.filter((_row, index) => index !== at))}
                      >
                        <IconTrash size="1rem" />
                      </ActionIcon>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {saving.error && <Failure error={saving.error} />}
        {admin && (
          <Group justify="space-between">
            <Button
              variant="default"
              leftSection={<IconPlus size="1rem" />}
              onClick={() =>
                setDraft([...rows, { vendor: 'chatgpt', model: '', input_per_million: 0, output_per_million: 0 }])
              }
            >
              {t('Add a price')}
            </Button>
            <Button disabled={draft === null} loading={saving.isPending} onClick={save}>
              {t('Save')}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}
