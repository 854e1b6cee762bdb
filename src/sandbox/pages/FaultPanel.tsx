/** Switches that make the emulated vendors misbehave. */
import { Stack, Switch } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { type Fault, listFaults, setFault } from '../contract.ts';
import { Panel, SmallText } from './Panel.tsx';
import { showIn } from './showIn.ts';

/** A fault that happens once turns itself off. */
const READ_AGAIN_MS = 3000;

/** @param only the vendors whose switches are shown; all if absent */
export function FaultPanel({ only }: { only?: readonly string[] }) {
  const faults = useEndpoint(listFaults, {}, { refetchInterval: READ_AGAIN_MS });
  const visible = (faults.data?.items ?? []).filter(({ vendor }) => only?.includes(vendor) ?? true);
  const count = visible.filter((fault) => fault.on).length;
  const note = <output>{count > 0 ? t('{{count}} on', { count }) : t('All off')}</output>;
  return (
    <Panel title={t('Faults')} note={<SmallText>{note}</SmallText>} query={faults} entity={t('faults')}>
      {() =>
        [...Map.groupBy(visible, ({ vendor }) => vendor)].map(([vendor, all]) => (
          <Stack key={vendor} gap="xs" mb="xs" role="group" aria-label={vendor}>
            <SmallText fw={600}>{vendor}</SmallText>
            {all.map((fault) => (
              <FaultSwitch key={fault.id} fault={fault} />
            ))}
          </Stack>
        ))
      }
    </Panel>
  );
}

function FaultSwitch({ fault: { id, title, on } }: { fault: Fault }) {
  const { isPending, mutate } = useCall(setFault);
  return (
    <Switch
      size="sm"
      label={title}
      checked={isPending ? !on : on}
      disabled={isPending}
      onChange={(event) => mutate({ params: { id }, body: { on: event.currentTarget.checked } }, showIn(listFaults))}
    />
  );
}
