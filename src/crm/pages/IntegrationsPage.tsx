/** Page of the chosen company's CRM accounts, to connect them and see their state. */
import { Button, Skeleton, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useNow } from '../../ui/clock.ts';
import type { Column } from '../../ui/columns.ts';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { readIntegrationState } from '../amocrmContract.ts';
import { type CrmIntegration, crmIntegrations } from '../contract.ts';
import { integrationCascadeCounts } from './cascadeCounts.ts';
import { ConnectionBadge, describeSync, hasFailed } from './connection.tsx';
import { useConnecting } from './useConnecting.tsx';

/** A hook or the regular sync may change the state at any time. */
const REFRESH_MS = 5_000;

export default function IntegrationsPage() {
  const { company } = useScope();
  const columns = useMemo(integrationColumns, []);
  const connecting = useConnecting(company?.id ?? 0);
  return (
    <>
      <ResourcePage
        crud={crmIntegrations}
        title={t('CRM Integrations')}
        singular={t('CRM integration')}
        description={t(
          "The chosen company's amoCRM accounts, with the state of the connection and of the last sync. A row opens one.",
        )}
        columns={columns}
        filters={[
          yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
          { kind: 'days', name: 'created', label: t('Created') },
        ]}
        fixedQuery={{ company_id: company?.id }}
        createButton={
          <Button size="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={connecting.start}>
            {t('Connect amoCRM')}
          </Button>
        }
        nameOf={(integration) => integration.name}
        assistantFields={({ crm_type, is_active }) => ({ crm_type, is_active })}
        rowLink={({ id }) => ({ page: 'crm-integration', params: { integrationId: id } })}
        removal={{ crud: crmIntegrations, cascadeCounts: integrationCascadeCounts }}
      />
      {connecting.dialog}
    </>
  );
}

function integrationColumns(): Column<CrmIntegration>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2, render: (one) => one.name },
    { key: 'state', label: t('Connection'), span: 2, render: (one) => <ConnectionState id={one.id} /> },
    { key: 'sync', label: t('Last sync'), span: 3, render: (one) => <LastSync id={one.id} /> },
    { key: 'crm_type', label: t('CRM'), span: 1, hiddenByDefault: true, render: () => 'amoCRM' },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      hiddenByDefault: true,
      render: (one) => <YesNo value={one.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, hiddenByDefault: true, render: (one) => one.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: (one) => <Timestamp iso={one.created_at} />,
    },
  ];
}

const useIntegrationState = (id: number) =>
  useEndpoint(readIntegrationState, { params: { id } }, { staleTime: 0, refetchInterval: REFRESH_MS });

function ConnectionState({ id }: { id: number }) {
  const now = useNow();
  const { data, error } = useIntegrationState(id);
  if (data) return <ConnectionBadge state={data} now={now} />;
  return error ? <span>{t('Unknown')}</span> : <Skeleton height="1rem" width="60%" />;
}

function LastSync({ id }: { id: number }) {
  const { data, error } = useIntegrationState(id);
  if (!data) return error ? <span>–</span> : <Skeleton height="1rem" width="60%" />;
  if (data.state === 'disconnected' || data.state === 'reconnect')
    return (
      <span>
        {data.reason} · <Timestamp iso={data.since} />
      </span>
    );
  if (hasFailed(data))
    return (
      <Text span inherit c="var(--mantine-color-error)">
        {data.last_error} · <Timestamp iso={data.last_error_at} />
      </Text>
    );
  if (data.last_sync_at === null) return <span>{t('None yet')}</span>;
  return (
    <span>
      <Timestamp iso={data.last_sync_at} /> · {describeSync(data.last_sync)}
    </span>
  );
}
