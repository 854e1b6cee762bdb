/** CRM accounts of the chosen company: connected here, with their state. */
import { Button, Skeleton, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Column } from '../../kit/columns.ts';
import { Moment } from '../../kit/Moment.tsx';
import { useNow } from '../../kit/now.ts';
import { useEndpoint } from '../../kit/query.ts';
import { ResourcePage } from '../../kit/ResourcePage.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { YesNo, yesNoFilter } from '../../kit/YesNo.tsx';
import { readIntegrationState } from '../amocrmContract.ts';
import { type CrmIntegration, crmIntegrations } from '../contract.ts';
import { ConnectionBadge, hasFailed, syncInWords } from './connection.tsx';
import { goesWithIntegration } from './goesWith.ts';
import { useConnecting } from './useConnecting.tsx';

/** A hook or the regular look may change the state at any time. */
const AGAIN_MS = 5_000;

export default function IntegrationsPage() {
  const { company } = useScope();
  const columns = useMemo(integrationColumns, []);
  const connecting = useConnecting(company?.id ?? 0);
  return (
    <>
      <ResourcePage
        crud={crmIntegrations}
        title={t('CRM Integrations')}
        noun={t('CRM integration')}
        description={t(
          "The chosen company's amoCRM accounts, with the state of the connection and of the last sync. A row opens one.",
        )}
        columns={columns}
        filters={[
          yesNoFilter('is_active', t('State'), t('Active'), t('Inactive')),
          { kind: 'created', label: t('Created') },
        ]}
        fixedQuery={{ company_id: company?.id }}
        begin={
          <Button size="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={connecting.begin}>
            {t('Connect amoCRM')}
          </Button>
        }
        nameOf={(integration) => integration.name}
        told={({ crm_type, is_active }) => ({ crm_type, is_active })}
        rowLink={({ id }) => ({ page: 'crm-integration', params: { integrationId: id } })}
        removal={{ crud: crmIntegrations, alongside: goesWithIntegration }}
      />
      {connecting.dialog}
    </>
  );
}

function integrationColumns(): Column<CrmIntegration>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', main: true, span: 2, render: (one) => one.name },
    { key: 'state', label: t('Connection'), span: 2, render: (one) => <State id={one.id} /> },
    { key: 'sync', label: t('Last sync'), span: 3, render: (one) => <LastSync id={one.id} /> },
    { key: 'crm_type', label: t('CRM'), span: 1, extra: true, render: () => 'amoCRM' },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      extra: true,
      render: (one) => <YesNo value={one.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, extra: true, render: (one) => one.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      extra: true,
      render: (one) => <Moment iso={one.created_at} />,
    },
  ];
}

const useStanding = (id: number) =>
  useEndpoint(readIntegrationState, { params: { id } }, { staleTime: 0, refetchInterval: AGAIN_MS });

function State({ id }: { id: number }) {
  const now = useNow();
  const { data, error } = useStanding(id);
  if (data) return <ConnectionBadge state={data} now={now} />;
  return error ? <span>{t('Not known')}</span> : <Skeleton height="1rem" width="60%" />;
}

function LastSync({ id }: { id: number }) {
  const { data, error } = useStanding(id);
  if (!data) return error ? <span>–</span> : <Skeleton height="1rem" width="60%" />;
  if (data.state === 'disconnected' || data.state === 'reconnect')
    return (
      <span>
        {data.reason} · <Moment iso={data.since} />
      </span>
    );
  if (hasFailed(data))
    return (
      <Text span inherit c="var(--mantine-color-error)">
        {data.last_error} · <Moment iso={data.last_error_at} />
      </Text>
    );
  if (data.last_sync_at === null) return <span>{t('None so far')}</span>;
  return (
    <span>
      <Moment iso={data.last_sync_at} /> · {syncInWords(data.last_sync)}
    </span>
  );
}
