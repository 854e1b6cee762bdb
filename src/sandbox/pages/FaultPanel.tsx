/** Switches that make the emulated vendors misbehave. */
import { Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import type { AnswerOf } from '../../platform/contract.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Fault, listFaults, setFault } from '../contract.ts';

/** A fault that happens once turns itself off. */
const READ_AGAIN_MS = 3000;

/** @param only the vendors whose switches are shown; all if absent */
export function FaultPanel({ only }: { only?: readonly string[] }) {
  const faults = useEndpoint(listFaults, {}, { refetchInterval: READ_AGAIN_MS });
  const items = (faults.data?.items ?? []).filter(({ vendor }) => only?.includes(vendor) ?? true);
  const vendors = [...new Set(items.map((fault) => fault.vendor))];
  const count = items.filter((fault) => fault.on).length;
  return (
    <section aria-label={t('Faults')}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t('Faults')}</Title>
        <Text size="xs" c="dimmed" role="status">
          {count > 0 ? t('{{count}} on', { count }) : t('All off')}
        </Text>
      </Group>
      {faults.isPending && <Skeleton height={120} />}
      {faults.isError && !faults.data && (
        <Stack gap="xs" align="flex-start" role="alert">
          <Text size="sm">{faults.error.message}</Text>
          <Button size="xs" variant="default" onClick={() => void faults.refetch()}>
            {t('Retry')}
          </Button>
        </Stack>
      )}
      <Stack gap="md">
        {vendors.map((vendor) => (
          <Stack key={vendor} gap="xs" role="group" aria-label={vendor}>
            <Text size="xs" fw={600} c="dimmed">
              {vendor}
            </Text>
            {items
              .filter((fault) => fault.vendor === vendor)
              .map((fault) => (
                <FaultSwitch key={fault.id} fault={fault} />
              ))}
          </Stack>
        ))}
      </Stack>
    </section>
  );
}

function FaultSwitch({ fault }: { fault: Fault }) {
  const change = useCall(setFault);
  return (
    <Switch
      size="sm"
      label={fault.title}
      checked={change.isPending ? !fault.on : fault.on}
      disabled={change.isPending}
      onChange={(event) =>
        change.mutate(
          { params: { id: fault.id }, body: { on: event.currentTarget.checked } },
          {
            onSuccess: (answer) => queryClient.setQueryData<AnswerOf<typeof listFaults>>(keyOf(listFaults, {}), answer),
            onError: toast.failure,
          },
        )
      }
    />
  );
}
