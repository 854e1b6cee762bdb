/** Edits how much a company may spend on models in a day. */
import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BoundedNumberInput } from '../../ui/BoundedNumberInput.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { formatDay, formatDollars } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { readBudget, writeBudget } from '../budgetContract.ts';

export function BudgetDialog({ companyId, onClose }: { companyId: number; onClose: () => void }) {
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
    <Modal opened onClose={onClose} title={t('Model budget')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack gap="md">
        {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
        <BoundedNumberInput
          label={t('US dollars per day')}
          description={t(
            'At 80 %, everyone sees a warning. At 100 %, replies pause until the next UTC day or until the budget is raised. If empty, there is no limit.',
          )}
          min={0}
          max={1_000_000}
          prefix="$"
          value={value}
          onChange={setTyped}
          data-autofocus
        />
        {found.data && found.data.reserved > 0 && (
          <Text size="sm">
            {t('{{amount}} is reserved for calls in progress', { amount: formatDollars(found.data.reserved) })}
          </Text>
        )}
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
