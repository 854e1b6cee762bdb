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
import { dateTimeInSentence } from '../../ui/format.ts';
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
import { Skipped } from './Skipped.tsx';
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
    description: t('Syncs the account now: imports new cards and moves leads whose cards were moved.'),
    input: NO_ARGUMENTS,
    confirm: true,
    irreversible: t('Imported and moved leads stay as they are.'),
    run: async () => {
      const params = { id };
      const changed = await call(syncIntegration, { params });
      queryClient.setQueryData(keyOf(readIntegrationState, { params }), changed);
      return { status: 'sync started' };
    },
  });
}

type DialogKind = 'disconnect' | 'delete' | null;

interface IntegrationViewProps {
  integration: CrmIntegration;
  state: IntegrationState;
  onBack: () => void;
}

function IntegrationView({ integration, state, onBack }: IntegrationViewProps) {
  const now = useNow();
  const [openDialog, setOpenDialog] = useState<DialogKind>(null);
  const { syncNow, isSyncing, applyState } = useSync(integration.id);
  const connecting = useConnecting(integration.company_id);
  const isConnected = state.state === 'connected' || state.state === 'reconnect';
  const disconnect = {
    label: t('Disconnect'),
    icon: IconPlugConnectedX,
    run: () => setOpenDialog('disconnect'),
    danger: true,
  };
  return (
    <PageFrame
      title={integration.name}
      onBack={onBack}
      aside={<ConnectionBadge state={state} now={now} />}
      actions={
        <>
          <SyncButton
            label={t('Sync now')}
            loading={isSyncing}
            disabled={state.state !== 'connected'}
            onClick={syncNow}
          />
          <RowMenu
            name={integration.name}
            actions={[
              { label: t('Reconnect'), icon: IconPlugConnected, run: connecting.start },
              ...(isConnected ? [disconnect] : []),
              { label: t('Delete'), icon: IconTrash, run: () => setOpenDialog('delete'), danger: true },
            ]}
          />
        </>
      }
    >
      <Stack gap="md">
        <Problem state={state} now={now} isSyncing={isSyncing} onSync={syncNow} onConnect={connecting.start} />
        <ConnectionFacts state={state} />
        <SyncFacts state={state} onRetry={syncNow} />
        <Skipped
          integrationId={integration.id}
          onRetry={state.state === 'connected' ? syncNow : null}
          isRetrying={isSyncing}
        />
        <UsedBy integrationId={integration.id} />
      </Stack>
      <Dialogs
        opened={openDialog}
        integration={integration}
        state={state}
        onDisconnected={applyState}
        onDeleted={onBack}
        onClose={() => setOpenDialog(null)}
      />
      {connecting.dialog}
    </PageFrame>
  );
}

function useSync(id: number) {
  const cache = useQueryClient();
  const sync = useCall(syncIntegration);
  const params = { id };
  const applyState = (changed: IntegrationState) => {
    cache.setQueryData(keyOf(readIntegrationState, { params }), changed);
    for (const endpoint of [crmIntegrations.list, crmIntegrations.get, readCrmDirectory])
      void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
  };
  const onSuccess = (changed: IntegrationState) => {
    applyState(changed);
    toast.info(t('Sync started'));
  };
  const syncNow = () => sync.mutate({ params }, { onSuccess, onError: toast.failure });
  return { syncNow, isSyncing: sync.isPending, applyState };
}

interface SyncButtonProps {
  label: string;
  loading: boolean;
  disabled?: boolean;
  onClick: () => void;
}

function SyncButton(props: SyncButtonProps) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size="1rem" />}
      loading={props.loading}
      disabled={props.disabled ?? false}
      onClick={props.onClick}
    >
      {props.label}
    </Button>
  );
}

interface ProblemProps {
  state: IntegrationState;
  now: number;
  isSyncing: boolean;
  onSync: () => void;
  onConnect: () => void;
}

/** What is wrong with the connection and the button that repairs it; nothing while it works. */
function Problem({ state, now, isSyncing, onSync, onConnect }: ProblemProps) {
  const { action, label, text } = describeConnection(state, now);
  if (action === null) return null;
  return (
    <Alert color={action === 'sync' ? 'orange' : 'yellow'} title={label}>
      <Text size="sm">{text}</Text>
      {state.reason !== null && <Text size="sm">{state.reason}</Text>}
      <Group mt="xs">
        {action === 'sync' ? (
          <SyncButton label={t('Try again')} loading={isSyncing} onClick={onSync} />
        ) : (
          <Button size="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={onConnect}>
            {action === 'connect' ? t('Connect amoCRM') : t('Reconnect amoCRM')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

interface DialogsProps {
  opened: DialogKind;
  integration: CrmIntegration;
  state: IntegrationState;
  onDisconnected: (state: IntegrationState) => void;
  onDeleted: () => void;
  onClose: () => void;
}

function Dialogs({ opened, integration, state, onDisconnected, onDeleted, onClose }: DialogsProps) {
  const cache = useQueryClient();
  const { id, name } = integration;
  if (opened === 'disconnect')
    return (
      <ConfirmDialog
        title={t('Disconnect {{name}}?', { name })}
        text={describeDisconnect(state)}
        confirm={t('Disconnect')}
        color="red"
        run={() => call(disconnectIntegration, { params: { id } })}
        onDone={(changed) => {
          onDisconnected(changed);
          toast.success(t('Disconnected {{name}}', { name }));
        }}
        onClose={onClose}
      />
    );
  if (opened === 'delete')
    return (
      <DeleteDialog
        what={t('the CRM integration “{{name}}”', { name })}
        remove={() => call(crmIntegrations.remove, { params: { id } })}
        cascadeCounts={() => integrationCascadeCounts(integration)}
        onDone={() => {
          toast.success(t('Deleted {{name}}', { name }));
          void cache.invalidateQueries({ queryKey: keyOf(crmIntegrations.list) });
          onDeleted();
        }}
        onClose={onClose}
      />
    );
  return null;
}

function ConnectionFacts({ state }: { state: IntegrationState }) {
  return (
    <Section title={t('Connection')}>
      <DataList labelWidth="11rem">
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
            : t('Valid until {{date}}, renewed automatically', { date: dateTimeInSentence(state.keys_until) })}
        </Fact>
        {state.state === 'connected' && <Fact label={t('Changes')}>{describeHooks(state)}</Fact>}
      </DataList>
    </Section>
  );
}

function SyncFacts({ state, onRetry }: { state: IntegrationState; onRetry: () => void }) {
  return (
    <Section title={t('Sync')}>
      <DataList labelWidth="11rem">
        <Fact label={t('Last sync')}>
          {state.last_sync_at === null ? (
            t('None yet')
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
        <Fact label={t('Cards to read')}>{state.to_read}</Fact>
        <Fact label={t('Stage changes to write')}>{state.to_write}</Fact>
        {state.refused > 0 && (
          <Fact label={t('Refused by amoCRM')}>
            {t('{{count}} stage changes: {{reason}}', {
              count: state.refused,
              reason: state.refusal ?? '–',
              defaultValue_one: '{{count}} stage change: {{reason}}',
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
