/** Page of one connected account: the state of its connection, the last sync, and the products that use it. */
import { Alert, Button, DataList, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconPlugConnectedX, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useNow } from '../../ui/clock.ts';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { parseId, usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient, useCall, useEndpoint } from '../../ui/query.ts';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { Section } from '../../ui/Section.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import {
  disconnectIntegration,
  type IntegrationState,
  readCrmDirectory,
  readIntegrationState,
  syncIntegration,
} from '../amocrmContract.ts';
import { type CrmIntegration, crmIntegrations } from '../contract.ts';
import { describeDisconnect, integrationCascadeCounts } from './cascadeCounts.ts';
import { ConnectionBadge, describeConnection, describeHooks, describeSync, hasFailed } from './connection.tsx';
import { UsedBy } from './UsedBy.tsx';
import { useConnecting } from './useConnecting.tsx';

const REFRESH_MS = 5_000;

export default function IntegrationPage() {
  const page = usePage();
  const id = parseId(page.params.integrationId) ?? 0;
  const hasId = id > 0;
  const params = { id };
  const integrationQuery = useEndpoint(crmIntegrations.get, { params }, { enabled: hasId });
  const stateQuery = useEndpoint(
    readIntegrationState,
    { params },
    { enabled: hasId, staleTime: 0, refetchInterval: REFRESH_MS },
  );
  const back = () => page.go('crm-integrations', {});
  const error = integrationQuery.error ?? stateQuery.error;
  usePageContext({
    description: t('One connected amoCRM account: its connection, its last sync, and the products that use it.'),
    summary: JSON.stringify({
      integration: integrationQuery.data ?? 'not loaded',
      state: stateQuery.data ?? 'not loaded',
    }),
    ...pageTools(...(hasId ? [syncTool(id)] : [])),
  });
  if (integrationQuery.data && stateQuery.data)
    return <IntegrationView integration={integrationQuery.data} state={stateQuery.data} onBack={back} />;
  return (
    <PageFrame title={t('CRM integration')} onBack={back}>
      {error ? (
        <Failure error={error} onRetry={() => void Promise.all([integrationQuery.refetch(), stateQuery.refetch()])} />
      ) : (
        <Skeleton height="20rem" aria-label={t('Loading {{entity}}...', { entity: t('CRM integration') })} />
      )}
    </PageFrame>
  );
}

function syncTool(id: number): ToolWithHandler {
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

type DialogKind = 'disconnect' | 'delete' | null;

function IntegrationView({
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
  const [openDialog, setOpenDialog] = useState<DialogKind>(null);
  const sync = useCall(syncIntegration);
  const connecting = useConnecting(integration.company_id);
  const params = { id: integration.id };
  const applyState = (changed: IntegrationState) => {
    cache.setQueryData(keyOf(readIntegrationState, { params }), changed);
    for (const endpoint of [crmIntegrations.list, crmIntegrations.get, readCrmDirectory])
      void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  };
  const syncNow = () =>
    sync.mutate(
      { params },
      {
        onSuccess: (changed) => {
          applyState(changed);
          toast.info(t('The account is being looked at'));
        },
        onError: toast.failure,
      },
    );
  const isConnected = state.state === 'connected' || state.state === 'reconnect';
  const { action, text } = describeConnection(state, now);
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
            onClick={syncNow}
          >
            {t('Sync now')}
          </Button>
          <RowMenu
            name={integration.name}
            actions={[
              { label: t('Reconnect'), icon: IconPlugConnected, run: connecting.start },
              ...(isConnected
                ? [
                    {
                      label: t('Disconnect'),
                      icon: IconPlugConnectedX,
                      run: () => setOpenDialog('disconnect'),
                      danger: true,
                    },
                  ]
                : []),
              { label: t('Delete'), icon: IconTrash, run: () => setOpenDialog('delete'), danger: true },
            ]}
          />
        </>
      }
    >
      <Stack gap="md">
        {action !== null && (
          <Alert color={action === 'sync' ? 'orange' : 'yellow'} title={describeConnection(state, now).label}>
            <Text size="sm">{text}</Text>
            {state.reason !== null && <Text size="sm">{state.reason}</Text>}
            <Group mt="xs">
              {action === 'sync' ? (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size="1rem" />}
                  loading={sync.isPending}
                  onClick={syncNow}
                >
                  {t('Try again')}
                </Button>
              ) : (
                <Button size="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={connecting.start}>
                  {action === 'connect' ? t('Connect amoCRM') : t('Reconnect amoCRM')}
                </Button>
              )}
            </Group>
          </Alert>
        )}
        <ConnectionFacts state={state} />
        <SyncFacts state={state} onRetry={syncNow} />
        <UsedBy integrationId={integration.id} />
      </Stack>
      {openDialog === 'disconnect' && (
        <ConfirmDialog
          title={t('Disconnect {{name}}?', { name: integration.name })}
          text={describeDisconnect(state)}
          confirm={t('Disconnect')}
          color="red"
          run={() => call(disconnectIntegration, { params })}
          onDone={(changed) => {
            applyState(changed);
            toast.success(t('Disconnected {{name}}', { name: integration.name }));
          }}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog === 'delete' && (
        <DeleteDialog
          what={t('the CRM integration “{{name}}”', { name: integration.name })}
          remove={() => call(crmIntegrations.remove, { params })}
          cascadeCounts={() => integrationCascadeCounts(integration)}
          onDone={() => {
            toast.success(t('Deleted {{name}}', { name: integration.name }));
            void cache.invalidateQueries({ queryKey: keyOf(crmIntegrations.list) });
            onBack();
          }}
          onClose={() => setOpenDialog(null)}
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
          <Timestamp iso={state.since} />
        </Fact>
        <Fact label={t('Keys')}>
          {state.keys_until === null
            ? t('None')
            : t('Good until {{date}}, renewed by themselves', { date: formatDateTime(state.keys_until) })}
        </Fact>
        {state.state === 'connected' && <Fact label={t('Changes')}>{describeHooks(state)}</Fact>}
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
              <Timestamp iso={state.last_sync_at} />: {describeSync(state.last_sync)}
            </>
          )}
        </Fact>
        {hasFailed(state) && (
          <Fact label={t('Last error')}>
            <Text span inherit c="var(--mantine-color-error)">
              {state.last_error}
            </Text>{' '}
            · <Timestamp iso={state.last_error_at} />
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
