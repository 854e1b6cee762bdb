/** Signs the emulated vendors' channels out and in again. */
import { NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { AnswerOf } from '../../platform/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type EmulatedSession, listSessions, setSession } from '../sessionContract.ts';
import { vendorName } from './vendorName.ts';

const READ_AGAIN_MS = 5000;

export function SessionPanel() {
  const sessions = useEndpoint(listSessions, {}, { refetchInterval: READ_AGAIN_MS });
  return (
    <section aria-label={t('Sessions')}>
      <Title order={2} mb="xs">
        {t('Sessions')}
      </Title>
      {sessions.isPending && <Skeleton height={120} />}
      {sessions.isError && !sessions.data && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
      <Stack gap="xs">
        {sessions.data?.items.map((one) => (
          <Session key={one.ref} session={one} />
        ))}
        {sessions.data?.items.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('No {{entity}} found', { entity: t('sessions') })}
          </Text>
        )}
      </Stack>
    </section>
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
