/** Signs the emulated vendors' channels out and in again. */
import { NativeSelect } from '@mantine/core';
import type { AnswerOf } from '../../platform/contract.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type EmulatedSession, listSessions, setSession } from '../sessionContract.ts';
import { Panel } from './Panel.tsx';
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

function Session({ session }: { session: EmulatedSession }) {
  const change = useCall(setSession);
  return (
    <NativeSelect
      size="xs"
      label={`${session.title} · ${vendorName(session.vendor)}`}
      data={session.states}
      value={change.isPending ? change.variables.body.state : session.state}
      disabled={change.isPending}
      onChange={(event) =>
        change.mutate(
          { body: { ref: session.ref, state: event.currentTarget.value } },
          {
            onSuccess: (answer) =>
              queryClient.setQueryData<AnswerOf<typeof listSessions>>(keyOf(listSessions, {}), answer),
            onError: toast.failure,
          },
        )
      }
    />
  );
}
