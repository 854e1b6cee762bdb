/** Switches that make the emulated vendors misbehave. */
import { Stack, Switch, Text } from '@mantine/core';
import type { AnswerOf } from '../../platform/contract.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Fault, listFaults, setFault } from '../contract.ts';
import { Panel } from './Panel.tsx';

/** A fault that happens once turns itself off. */
const READ_AGAIN_MS = 3000;

/** @param only the vendors whose switches are shown; all if absent */
export function FaultPanel({ only }: { only?: readonly string[] }) {
  const faults = useEndpoint(listFaults, {}, { refetchInterval: READ_AGAIN_MS });
  const visible = (faults.data?.items ?? []).filter(({ vendor }) => only?.includes(vendor) ?? true);
  const vendors = [...new Set(visible.map((fault) => fault.vendor))];
  const count = visible.filter((fault) => fault.on).length;
  const note = (
    <Text size="xs" c="dimmed" role="status">
      {count > 0 ? t('{{count}} on', { count }) : t('All off')}
    </Text>
  );
  return (
    <Panel title={t('Faults')} note={note} query={faults} entity={t('faults')}>
      {() =>
        vendors.map((vendor) => (
          <Stack key={vendor} gap="xs" mb="xs" role="group" aria-label={vendor}>
            <Text size="xs" fw={600} c="dimmed">
              {vendor}
            </Text>
            {visible.map((fault) => fault.vendor === vendor && <FaultSwitch key={fault.id} fault={fault} />)}
          </Stack>
        ))
      }
    </Panel>
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
