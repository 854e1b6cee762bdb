/** Signs the emulated vendors' channels out and in again. */
import { NativeSelect } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { type EmulatedSession, listSessions, setSession } from '../sessionContract.ts';
import { Panel } from './Panel.tsx';
import { showIn } from './showIn.ts';
import { vendorName } from './vendorName.ts';

const READ_AGAIN_MS = 5000;

export function SessionPanel() {
  const sessions = useEndpoint(listSessions, {}, { refetchInterval: READ_AGAIN_MS });
  return (
    <Panel title={t('Sessions')} query={sessions} entity={t('sessions')}>
      {({ items }) => items.map((one) => <Session key={one.ref} session={one} />)}
    </Panel>
  );
}

function Session({ session: { ref, vendor, title, state, states } }: { session: EmulatedSession }) {
  const change = useCall(setSession);
  return (
    <NativeSelect
      size="xs"
      label={`${title} · ${vendorName(vendor)}`}
      data={states}
      value={change.isPending ? change.variables.body.state : state}
      disabled={change.isPending}
      onChange={(event) => change.mutate({ body: { ref, state: event.currentTarget.value } }, showIn(listSessions))}
    />
  );
}
