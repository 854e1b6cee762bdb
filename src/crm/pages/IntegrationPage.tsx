/** One connected account: how the connection stands, what the last sync brought, who uses it. */
import { Alert, Button, DataList, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconPlugConnectedX, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../kit/api.ts';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { DeleteDialog } from '../../kit/DeleteDialog.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { formatDateTime } from '../../kit/format.ts';
import { Moment } from '../../kit/Moment.tsx';
import { useNow } from '../../kit/now.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { idIn, usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolOfPage } from '../../kit/pageTool.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../kit/query.ts';
import { RowMenu } from '../../kit/RowMenu.tsx';
import { Section } from '../../kit/Section.tsx';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import {
  disconnectIntegration,
  type IntegrationState,
  readCrmDirectory,
  readIntegrationState,
  syncIntegration,
} from '../amocrmContract.ts';
import { type CrmIntegration, crmIntegrations } from '../contract.ts';
import { ConnectionBadge, connectionOf, hasFailed, hooksInWords, syncInWords } from './connection.tsx';
import { goesWithIntegration, withoutKeys } from './goesWith.ts';
import { UsedBy } from './UsedBy.tsx';
import { useConnecting } from './useConnecting.tsx';

const AGAIN_MS = 5_000;

export default function IntegrationPage() {
  const page = usePage();
  const id = idIn(page.params.integrationId) ?? 0;
  const known = id > 0;
  const params = { id };
  const found = useEndpoint(crmIntegrations.get, { params }, { enabled: known });
  const standing = useEndpoint(
    readIntegrationState,
    { params },
    { enabled: known, staleTime: 0, refetchInterval: AGAIN_MS },
  );
  const back = () => page.go('crm-integrations', {});
  const error = found.error ?? standing.error;
  usePageContext({
    description: t('One connected amoCRM account: its connection, its last sync, and the products that use it.'),
    summary: JSON.stringify({ integration: found.data ?? 'not loaded', state: standing.data ?? 'not loaded' }),
    ...pageTools(...(known ? [syncTool(id)] : [])),
  });
  if (found.data && standing.data) return <Shown integration={found.data} state={standing.data} onBack={back} />;
  return (
    <PageFrame title={t('CRM integration')} onBack={back}>
      {error ? (
        <Failure error={error} onRetry={() => void Promise.all([found.refetch(), standing.refetch()])} />
      ) : (
        <Skeleton height="20rem" aria-label={t('Loading {{entity}}...', { entity: t('CRM integration') })} />
      )}
    </PageFrame>
  );
}

function syncTool(id: number): ToolOfPage {
  return pageTool({
    name: 'sync_now',
    description: t('Looks at the account now: imports new cards, and moves leads whose cards were moved.'),
    input: NO_ARGUMENTS,
    confirm: true,
    irreversible: t('Leads that are imported or moved by it stay so.'),
    run: async () => {
      const params = { id };
      const changed = await call(syncIntegration, { params });
      queryClient.setQueryData(keyOf(readIntegrationState, { params }), changed);
      return { status: 'the account is being looked at' };
    },
  });
}

type Asking = 'disconnect' | 'delete' | null;

function Shown({
  integration,
  state,
  onBack,
}: {
  integration: CrmIntegration;
  state: IntegrationState;
  onBack: () => void;
}) {
  const cache = useQueryClient();
  const now = useNow();
  const [asking, setAsking] = useState<Asking>(null);
  const sync = useCall(syncIntegration);
  const connecting = useConnecting(integration.company_id);
  const params = { id: integration.id };
  const took = (changed: IntegrationState) => {
    cache.setQueryData(keyOf(readIntegrationState, { params }), changed);
    for (const endpoint of [crmIntegrations.list, crmIntegrations.get, readCrmDirectory])
      void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  };
  const lookNow = () =>
    sync.mutate(
      { params },
      {
        onSuccess: (changed) => {
          took(changed);
          toast.info(t('The account is being looked at'));
        },
        onError: toast.failure,
      },
    );
  const standing = state.state === 'connected' || state.state === 'reconnect';
  const { mend, text } = connectionOf(state, now);
  return (
    <PageFrame
      title={integration.name}
      onBack={onBack}
      aside={<ConnectionBadge state={state} now={now} />}
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size="1rem" />}
            disabled={state.state !== 'connected'}
            loading={sync.isPending}
            onClick={lookNow}
          >
            {t('Sync now')}
          </Button>
          <RowMenu
            name={integration.name}
            actions={[
              { label: t('Reconnect'), icon: IconPlugConnected, run: connecting.begin },
              ...(standing
                ? [
                    {
                      label: t('Disconnect'),
                      icon: IconPlugConnectedX,
                      run: () => setAsking('disconnect'),
                      danger: true,
                    },
                  ]
                : []),
              { label: t('Delete'), icon: IconTrash, run: () => setAsking('delete'), danger: true },
            ]}
          />
        </>
      }
    >
      <Stack gap="md">
        {mend !== null && (
          <Alert color={mend === 'sync' ? 'orange' : 'yellow'} title={connectionOf(state, now).word}>
            <Text size="sm">{text}</Text>
            {state.reason !== null && <Text size="sm">{state.reason}</Text>}
            <Group mt="xs">
              {mend === 'sync' ? (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size="1rem" />}
                  loading={sync.isPending}
                  onClick={lookNow}
                >
                  {t('Try again')}
                </Button>
              ) : (
                <Button size="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={connecting.begin}>
                  {mend === 'connect' ? t('Connect amoCRM') : t('Reconnect amoCRM')}
                </Button>
              )}
            </Group>
          </Alert>
        )}
        <ConnectionFacts state={state} />
        <SyncFacts state={state} onRetry={lookNow} />
        <UsedBy integrationId={integration.id} />
      </Stack>
      {asking === 'disconnect' && (
        <ConfirmDialog
          title={t('Disconnect {{name}}?', { name: integration.name })}
          text={withoutKeys(state)}
          confirm={t('Disconnect')}
          color="red"
          run={() => call(disconnectIntegration, { params })}
          onDone={(changed) => {
            took(changed);
            toast.success(t('Disconnected {{name}}', { name: integration.name }));
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'delete' && (
        <DeleteDialog
          what={t('the CRM integration “{{name}}”', { name: integration.name })}
          remove={() => call(crmIntegrations.remove, { params })}
          alongside={() => goesWithIntegration(integration)}
          onDone={() => {
            toast.success(t('Deleted {{name}}', { name: integration.name }));
            void cache.invalidateQueries({ queryKey: keyOf(crmIntegrations.list) });
            onBack();
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {connecting.dialog}
    </PageFrame>
  );
}

function ConnectionFacts({ state }: { state: IntegrationState }) {
  return (
    <Section title={t('Connection')}>
      <DataList>
        <Fact label={t('Account')}>
          {state.account_id === null
            ? '–'
            : t('{{name}}, number {{id}}', { name: state.account_name ?? '–', id: String(state.account_id) })}
        </Fact>
        <Fact label={t('Address')}>{state.host ?? '–'}</Fact>
        <Fact label={t('In this state since')}>
          <Moment iso={state.since} />
        </Fact>
        <Fact label={t('Keys')}>
          {state.keys_until === null
            ? t('None')
            : t('Good until {{date}}, renewed by themselves', { date: formatDateTime(state.keys_until) })}
        </Fact>
        {state.state === 'connected' && <Fact label={t('Changes')}>{hooksInWords(state)}</Fact>}
      </DataList>
    </Section>
  );
}

function SyncFacts({ state, onRetry }: { state: IntegrationState; onRetry: () => void }) {
  return (
    <Section title={t('Sync')}>
      <DataList>
        <Fact label={t('Last sync')}>
          {state.last_sync_at === null ? (
            t('None so far')
          ) : (
            <>
              <Moment iso={state.last_sync_at} />: {syncInWords(state.last_sync)}
            </>
          )}
        </Fact>
        {hasFailed(state) && (
          <Fact label={t('Last error')}>
            <Text span inherit c="var(--mantine-color-error)">
              {state.last_error}
            </Text>{' '}
            · <Moment iso={state.last_error_at} />
          </Fact>
        )}
        <Fact label={t('Leads with a card')}>{state.cards}</Fact>
        <Fact label={t('To be read')}>{state.to_read}</Fact>
        <Fact label={t('To be written')}>{state.to_write}</Fact>
        {state.refused > 0 && (
          <Fact label={t('Refused by amoCRM')}>
            {t('{{count}} changes of stage: {{reason}}', {
              count: state.refused,
              reason: state.refusal ?? '–',
              defaultValue_one: '{{count}} change of stage: {{reason}}',
            })}{' '}
            <Button size="compact-xs" variant="default" disabled={state.state !== 'connected'} onClick={onRetry}>
              {t('Try again')}
            </Button>
          </Fact>
        )}
      </DataList>
    </Section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}
